import multiprocessing as mp

import cv2
from filelock import FileLock
from torch.utils.data import DataLoader, Dataset


class Guarded(Dataset):
    def __init__(self, files):
        self.files = files
        self.lock = mp.Lock()

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        with self.lock:  # want SAT214 "wait for one another at a lock"
            return cv2.imread(self.files[i])


class Shared(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        with FileLock("images.lock"):  # want SAT214 "lock"
            return cv2.imread(self.files[i])


def train(model, optimizer, files):
    for data in (Guarded(files), Shared(files)):
        for x in DataLoader(data, batch_size=32, num_workers=8):
            model(x.cuda()).mean().backward()
            optimizer.step()
