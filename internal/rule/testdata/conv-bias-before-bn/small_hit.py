import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 16, 3),  # want SAT420 "cancels the bias"
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 16, 3, bias=True),  # want SAT420 "cancels the bias"
            nn.BatchNorm2d(16),
        )
        self.conv = nn.Conv1d(16, 16, 3)  # want SAT420 "cancels the bias"
        self.norm = nn.BatchNorm1d(16)
        self.rest = nn.ModuleList([nn.Conv1d(16, 16, 1), nn.BatchNorm1d(16)])  # want SAT420 "cancels the bias"

    def forward(self, x):
        x = self.stem(x).flatten(2)
        x = self.norm(self.conv(x))
        for layer in self.rest:
            x = layer(x)
        return x


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
