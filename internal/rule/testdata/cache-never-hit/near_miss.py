import librosa
import torch
from torch.utils.data import Dataset

basis = {}
windows = {}


def spectrogram(y, fmax):
    key = f"{fmax}_{y.device}"
    if key not in basis:
        basis[f"{fmax}_{y.device}"] = torch.from_numpy(librosa.filters.mel(sr=22050, n_fft=1024, fmax=fmax))
    if fmax not in windows:
        windows[fmax] = torch.hann_window(1024)
        windows[f"{fmax}_{y.device}"] = windows[fmax].to(y.device)
    return basis[key] @ y


class Clips(Dataset):
    def __getitem__(self, i):
        return spectrogram(self.spectra[i], 8000)


def train(model, optimizer):
    model.cuda()
    for x in torch.utils.data.DataLoader(Clips(), num_workers=4, shuffle=True):
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
