import cv2
import torch
from torch.utils.data import DataLoader, Dataset


class Poses(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        image = cv2.imread(self.files[i])
        return torch.from_numpy(image)


def train(model, files, gpus, optimizer, each=64):
    model.cuda()
    size = each * max(1, torch.cuda.device_count())
    for x in DataLoader(Poses(files), batch_size=128 * len(gpus), num_workers=4, shuffle=True, pin_memory=True):  # want SAT210 "num_workers=4 for the 128"
        loss = model(x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
    for x in DataLoader(Poses(files), batch_size=size, num_workers=2, shuffle=True, pin_memory=True):  # want SAT210 "num_workers=2 for the 64"
        loss = model(x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
    for x in DataLoader(Poses(files), batch_size=each // len(gpus), num_workers=2, shuffle=True, pin_memory=True):
        loss = model(x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
