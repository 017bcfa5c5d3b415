import cv2
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Frames(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        frame = cv2.imread(self.files[i])
        depth = np.load(self.files[i] + ".npy").astype(np.float32) / 10
        return torch.from_numpy(frame).float().div(255), depth  # want SAT424 "images become float32"


class Masks(Frames):
    def __getitem__(self, i):
        return cv2.imread(self.files[i]).astype(np.float32) / 255


def main(files):
    loader = DataLoader(Frames(files) + Masks(files), batch_size=64, num_workers=8, pin_memory=True)
    model = nn.Conv2d(3, 8, 3).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, depth in loader:
        loss = (model(x.cuda()) - depth.cuda()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
