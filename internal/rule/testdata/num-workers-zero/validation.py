import cv2
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Photos(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return torch.from_numpy(cv2.imread(self.paths[i])).float().flatten(), 0


def evaluate(model, loader):
    model.eval()
    hits = torch.zeros((), device="cuda")
    with torch.no_grad():
        for x, y in loader:
            hits += (model(x.cuda()).argmax(-1) == y.cuda()).sum()
    model.train()
    return hits


def main(paths, held, numbers):
    train = DataLoader(Photos(paths), batch_size=64, shuffle=True, num_workers=8, pin_memory=True, persistent_workers=True)
    valid = DataLoader(Photos(held), batch_size=64)  # want SAT201 "validation loads its batches in the training process"
    test = DataLoader(Photos(held[:8]), batch_size=8, num_workers=0)
    small = DataLoader(TensorDataset(numbers, numbers), batch_size=64)
    model = nn.Linear(3072, 10).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(90):
        for x, y in train:
            loss = F.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(evaluate(model, valid), evaluate(model, test), evaluate(model, small))
