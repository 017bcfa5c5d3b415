import cv2
import numpy as np
from torch.utils.data import DataLoader, Dataset


def read_clip(path, count):
    video = cv2.VideoCapture(path)
    frames = []
    while True:
        ok, frame = video.read()  # want SAT109 "all frames of a video"
        if not ok:
            break
        frames.append(frame)
    pick = np.linspace(0, len(frames) - 1, count).astype(int)
    return np.stack([frames[i] for i in pick])


def read_all(path):
    video = cv2.VideoCapture(path)
    frames = []
    while True:
        ok, frame = video.read()
        if not ok:
            break
        frames.append(frame)
    return np.stack(frames)


class Clips(Dataset):
    def __init__(self, files):
        self.files = files

    def __getitem__(self, i):
        return read_clip(self.files[i], 8), read_all(self.files[i])

    def __len__(self):
        return len(self.files)


def train(model, files, optimizer):
    for x, y in DataLoader(Clips(files), 4, num_workers=4):
        model(x.cuda(), y.cuda()).sum().backward()
        optimizer.step()
