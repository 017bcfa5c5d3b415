"""Stereo clips of several lengths, augmented by chance, as rows of features with a label."""

import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

CLIPS, CLASSES, FEATURES = 48, 1000, 64
WORKERS = 0
KEPT = {}


def read(i):
    """What a file would hold: two channels at 32 kHz."""
    noise = np.random.RandomState(i)
    return noise.standard_normal((2, 400 + 20 * (i % 5))).astype(np.float32) + np.float32(i % 3)


def label(i):
    return int(np.random.RandomState(1000 + i).randint(CLASSES))


def resample(x):
    return (x[:, 0::2] + x[:, 1::2]) / 2


def features(x):
    mono = x[0] * np.float32(0.75) + x[1] * np.float32(0.25)
    mono = (mono - mono.mean()) / mono.std()
    return mono[:192].reshape(FEATURES, 3).mean(1)


class Clips(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.coin = random.Random(0)

    def __len__(self):
        return CLIPS

    def augment(self, x):
        x = x * np.float32(0.5 + random.random()) + np.float32(0.1) * np.random.standard_normal(x.shape).astype(np.float32)
        x = np.roll(x, int(self.rng.integers(10)), axis=1)
        return x[:, ::-1].copy() if self.coin.random() < 0.3 else x

    def __getitem__(self, i):
        x = read(i)
        x = resample(x)
        x = self.augment(x)
        x = features(x)
        return torch.from_numpy(x) + 0.01 * torch.rand(FEATURES), label(i)


def collate(samples):
    return torch.stack([x for x, _ in samples]), torch.tensor([y for _, y in samples])


def loader():
    return DataLoader(Clips(), batch_size=4, shuffle=True, collate_fn=collate, num_workers=WORKERS)


def on_device(x):
    return x
