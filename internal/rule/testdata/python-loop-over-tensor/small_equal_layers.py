import torch
import torch.nn.functional as F
from torch import nn


class Tasks(nn.Module):
    def __init__(self, width, tasks):
        super().__init__()
        self.tasks = nn.ModuleList()
        for _ in range(tasks):
            self.tasks.append(nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1)))

    def forward(self, x):
        out = []
        for i in range(len(self.tasks)):  # want SAT319 "each layer of self.tasks is called on the same input"
            out.append(self.tasks[i](x))
        return torch.stack(out, 1)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.tasks = nn.Linear(512, 512), Tasks(512, 12)

    def forward(self, x):
        return self.tasks(self.body(x))


def train(loader):
    model = Model().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
