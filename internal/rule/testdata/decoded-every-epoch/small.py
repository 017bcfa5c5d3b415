import numpy as np
import soundfile as sf
import torch
from torch.utils.data import DataLoader, Dataset


class Base(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return self.load(self.files[i])

    def load(self, path):
        raise NotImplementedError


class Clips(Base):
    def load(self, path):
        wav, _ = sf.read(path)  # want SAT135 "in every epoch; enough workers hide it"
        return torch.from_numpy(wav)


class Arrays(Base):
    def load(self, path):
        while True:  # until one can be read
            try:
                return np.load(path)  # want SAT135 "enough workers"
            except OSError:
                path = self.files[0]


def loader(kind):
    data = Clips(["a.wav"]) if kind == "clips" else Arrays(["a.npy"])
    return DataLoader(data, batch_size=8, num_workers=16)


def train(model, optimizer):
    model.cuda()
    for batch in loader("clips"):
        model(batch.cuda()).backward()
        optimizer.step()
        optimizer.zero_grad()
