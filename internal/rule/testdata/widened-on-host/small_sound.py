import numpy as np
import soundfile as sf
import torch
from torch.utils.data import DataLoader, Dataset


class Spoken(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        sound, rate = sf.read(self.files[i])  # want SAT424 "soundfile.read decodes float64"
        return sound.astype(np.float32), rate


class Sung(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        sound, rate = sf.read(self.files[i], dtype="float32")
        return torch.FloatTensor(sound), rate


def train(model, files, optimizer):
    model.cuda()
    for data in (Spoken(files), Sung(files)):
        for sound, rate in DataLoader(data, batch_size=8, num_workers=8, pin_memory=True):
            loss = model(sound.cuda(non_blocking=True)).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
