"""Stands for torchaudio: powers of mel bands, without Whisper's scale."""

import torch


class MelSpectrogram(torch.nn.Module):
    def __init__(self, sample_rate=16000, n_fft=400, hop_length=200, n_mels=128):
        super().__init__()
        from transformers.audio_utils import mel_filter_bank  # which looks for torchaudio when it is imported

        self.n_fft, self.hop_length = n_fft, hop_length
        filters = mel_filter_bank(n_fft // 2 + 1, n_mels, 0.0, sample_rate / 2, sample_rate, None, "htk")
        self.filters = torch.tensor(filters.T, dtype=torch.float32)

    def forward(self, x):
        stft = torch.stft(x, self.n_fft, self.hop_length, window=torch.hann_window(self.n_fft), return_complex=True)
        return self.filters @ stft.abs() ** 2
