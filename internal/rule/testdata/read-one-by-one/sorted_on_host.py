import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.items = nn.Embedding(50000, 64)

    def forward(self, x):
        return self.items(x).mean(1) @ self.items.weight.T


def best(model, loader):
    model.eval()
    found = []
    with torch.no_grad():
        for x, y in loader:
            scores = model(x.cuda(non_blocking=True))
            scores = scores.cpu().data.numpy().copy()
            scores[:, 0] = -1e9
            found.append(np.argpartition(-scores, 20)[:, :20])  # want SAT325 "np.argpartition puts scores in order on the CPU"
    return np.concatenate(found)


def best_on_gpu(model, loader):
    model.eval()
    found = []
    with torch.no_grad():
        for x, y in loader:
            found.append(model(x.cuda(non_blocking=True)).topk(20).indices)
    found = torch.cat(found).cpu().numpy()
    return np.argsort(found)


def main():
    model = Scorer().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    data = TensorDataset(torch.load("x.pt"), torch.load("y.pt"))
    for _ in range(100):
        model.train()
        for x, y in DataLoader(data, batch_size=256, shuffle=True):
            loss = F.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        best(model, DataLoader(data, batch_size=256))
        best_on_gpu(model, DataLoader(data, batch_size=256))


main()
