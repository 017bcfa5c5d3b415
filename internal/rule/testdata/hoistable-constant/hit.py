import librosa
import torch
from torch import nn
from torch.utils.data import Dataset


class Spectral(nn.Module):
    def __init__(self, n_fft):
        super().__init__()
        self.n_fft = n_fft
        self.layer = nn.Linear(n_fft // 2 + 1, 2)

    def forward(self, x):
        window = torch.hann_window(self.n_fft, device=x.device)  # want SAT318 "created in every step"
        weight = torch.tensor([0.2, 0.8], device=x.device)  # want SAT318 "created in every step"
        bias = torch.tensor([-1.0, 1.0]).to(x.device)  # want SAT318 "created in every step"
        spectrum = torch.stft(x, self.n_fft, window=window, return_complex=True).abs()
        return self.layer(spectrum.transpose(1, 2)) * weight + bias


class Clips(Dataset):
    def __getitem__(self, i):
        basis = librosa.filters.mel(sr=16000, n_fft=512)  # want SAT318 "created each time"
        return basis @ self.spectra[i]


def train(loader):
    model = Spectral(512).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
