from .audio import load_audio, log_mel_spectrogram, pad_or_trim  # noqa: F401
