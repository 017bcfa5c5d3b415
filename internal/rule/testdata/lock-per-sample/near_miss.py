import multiprocessing as mp
import threading

import cv2
from torch.utils.data import DataLoader, Dataset


class Counted(Dataset):
    def __init__(self, files):
        self.files = files
        self.own = threading.Lock()
        self.lock = mp.Lock()
        with self.lock:
            self.first = cv2.imread(files[0])
        self.count = mp.Value("i", 0)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        with self.lock:
            self.count.value += 1
        with self.own:
            return cv2.imread(self.files[i])


def train(model, optimizer, files):
    for x in DataLoader(Counted(files), batch_size=32, num_workers=8):
        model(x.cuda()).mean().backward()
        optimizer.step()
