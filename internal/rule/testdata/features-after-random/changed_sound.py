import random

import librosa
import numpy as np
import soundfile
from torch.utils.data import DataLoader, Dataset


def shift(wave, rate):
    return librosa.effects.pitch_shift(wave, sr=rate, n_steps=random.uniform(-3, 3))  # want SAT126 "for every sample on the CPU"


def room(wave):
    n = 6400
    answer = np.random.randn(n) * np.exp(-6.9 * np.arange(n) / n)
    return np.convolve(wave, answer)[: len(wave)]  # want SAT126 "convolves directly"


def smooth(wave):
    return np.convolve(wave, [0.25, 0.5, 0.25])[: len(wave)]


class Spoken(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        wave, rate = soundfile.read(self.files[i])
        return smooth(room(shift(wave, rate)))


def train(net, files, optimizer):
    net.cuda()
    for waves in DataLoader(Spoken(files), batch_size=16, num_workers=8, pin_memory=True):
        net(waves.cuda()).mean().backward()
        optimizer.step()
