import json
import tempfile

import h5py
import numpy as np
import torchaudio
from torch.utils.data import Dataset, IterableDataset


class Stored(Dataset):
    def __init__(self, path, files):
        self.path = path
        self.files = files
        self.table = json.load(open(path))
        self.file = None
        self.at = 0

    def __getitem__(self, i):
        if self.file is None:
            self.file = h5py.File(self.path)
        with open(self.path) as f:
            f.seek(self.table[i])
            line = f.readline()
        with open("log.txt", "a") as log:
            log.write(line)
        name = self.files[i]
        self.at = self.at + 1
        with tempfile.NamedTemporaryFile() as out:
            torchaudio.save(out.name, self.file[name], 16000)
            again = torchaudio.load(out.name)
        return np.load(name), self.file[name], np.load(self.files[self.at]), again

    def __len__(self):
        return len(self.files)


class Lines(IterableDataset):
    def __init__(self, path):
        self.path = path

    def __iter__(self):
        with open(self.path) as f:
            for line in f:
                yield line


def main():
    return json.load(open("settings.json"))
