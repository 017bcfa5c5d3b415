import torch
from torch import nn
import torch.nn.functional as F


class Similarity(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.cosine = nn.CosineSimilarity(dim=-1)

    def forward(self, a, b):
        return self.cosine(a, b) / self.temperature


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.similarity = nn.Linear(8, 8), Similarity(0.05)

    def forward(self, x):
        a, b = self.layer(x), self.layer(x)
        return self.similarity(a.unsqueeze(1), b.unsqueeze(0))  # want SAT422 "all pairs"


def contrast(a, b):
    rows = a[:, None]
    return F.cosine_similarity(rows, b[None], dim=-1)  # want SAT422 "all pairs"


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        out = model(x.cuda())
        loss = contrast(out, out).mean() + loss_of(model, out, out).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def prepare(model):
    model.closeness = Similarity(0.1)


def loss_of(model, a, b):
    return model.closeness(a.unsqueeze(1), b.unsqueeze(0))  # want SAT422 "all pairs"
