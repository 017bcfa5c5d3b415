import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(7)])

    def forward(self, x):
        out = self.layers[0](x)
        for layer in self.layers[1:]:
            part = layer(x)
            out = torch.cat((out, part), 1)  # want SAT321 "copies all of out"
        return out


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

