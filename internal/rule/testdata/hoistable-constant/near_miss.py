import functools

import librosa
import torch
from torch import nn
from torch.utils.data import Dataset

basis = None
tables = {}


def mel():
    global basis
    if basis is None:
        basis = build()
    return basis


def build():
    return librosa.filters.mel(sr=16000, n_fft=512)


@functools.lru_cache
def window_of(size, device):
    return torch.hann_window(512, device=device)


class Spectral(nn.Module):
    def __init__(self, n_fft):
        super().__init__()
        self.n_fft = n_fft
        self.register_buffer("window", torch.hann_window(n_fft))
        self.layer = nn.Linear(n_fft // 2 + 1, 2)

    def forward(self, x, sizes):
        varying = torch.hann_window(x.size(-1), device=x.device)
        given = torch.tensor([x.size(0), 1], device=x.device)
        zero = torch.tensor(0.0, device=x.device)
        if "mel" not in tables:
            tables["mel"] = torch.tensor([1.0, 2.0], device=x.device)
        window_of(512, x.device)
        return self.layer(torch.stft(x * varying, self.n_fft, window=self.window, return_complex=True).abs().transpose(1, 2)) + zero + given.sum()


class Clips(Dataset):
    def __getitem__(self, i):
        return mel() @ self.spectra[i]


def train(loader):
    model = Spectral(512).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda(), None).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
