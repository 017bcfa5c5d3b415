import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(7)])

    def forward(self, x):
        parts = []
        for layer in self.layers:
            x = torch.cat((x, layer(x)), 1)  # a dense block: each layer reads all before it
            parts.append(torch.cat((x, x), 1))
        return torch.cat(parts, 1)


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

