import random

import librosa
from torch.utils.data import DataLoader, Dataset


def spectrum(wave):
    return librosa.stft(wave, n_fft=1024)  # want SAT104 "every epoch"


class Clips(Dataset):
    def __init__(self, waves):
        self.waves = waves

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, i):
        start = random.randint(0, 1000)
        return spectrum(self.waves[i][start:start + 8000])


class Sentences(Dataset):
    def __init__(self, waves):
        self.waves = waves

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, i):
        return spectrum(self.waves[i])


class Paragraphs(Dataset):
    def __init__(self, waves):
        self.waves = waves

    def __len__(self):
        return len(self.waves) // 4

    def __getitem__(self, i):
        return [spectrum(wave) for wave in self.waves[4 * i:4 * i + 4]]  # told SAT104 "Paragraphs"


def train(waves, model, optimizer, kind):
    data = Clips(waves) if kind == "clip" else Sentences(waves) if kind == "sentence" else Paragraphs(waves)
    for _ in range(100):
        for spectra in DataLoader(data, batch_size=8, shuffle=True, num_workers=4):
            loss = model(spectra.cuda()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
