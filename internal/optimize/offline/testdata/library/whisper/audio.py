"""Stands for openai-whisper: the same names, and the same features, of which the filters are computed by transformers."""

import torch
from transformers.audio_utils import mel_filter_bank


def load_audio(file):
    raise OSError(f"{file}: nothing is read here")


def pad_or_trim(array, length=480000):
    return torch.nn.functional.pad(torch.as_tensor(array)[:length], (0, max(0, length - len(array))))


def log_mel_spectrogram(audio, n_mels=80, padding=0, device=None):
    audio = torch.nn.functional.pad(torch.as_tensor(audio), (0, padding))
    filters = torch.tensor(mel_filter_bank(201, n_mels, 0.0, 8000.0, 16000, "slaney", "slaney").T, dtype=torch.float32)
    stft = torch.stft(audio, 400, 160, window=torch.hann_window(400), return_complex=True)
    log = (filters @ stft[..., :-1].abs() ** 2).clamp(min=1e-10).log10()
    return (torch.maximum(log, log.max() - 8.0) + 4.0) / 4.0
