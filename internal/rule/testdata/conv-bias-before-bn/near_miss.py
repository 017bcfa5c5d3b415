import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 16, 3, bias=False),
            nn.BatchNorm2d(16),
            nn.Conv2d(16, 16, 3),
            nn.ReLU(),
            nn.BatchNorm2d(16),
            nn.Conv2d(16, 16, 3, bias=options.bias),
            nn.BatchNorm2d(16),
            nn.Conv2d(16, 16, 3),
            nn.GroupNorm(4, 16),
        )
        self.shared = nn.Conv1d(16, 16, 3)
        self.norm = nn.BatchNorm1d(16)
        self.last = nn.Conv1d(16, 16, 3)
        if options.norm:
            self.chosen = nn.BatchNorm1d(16)
        else:
            self.chosen = nn.Identity()  # needs the bias

    def forward(self, x):
        x = self.chosen(self.last(self.stem(x).flatten(2)))
        return self.norm(self.shared(x)) + self.shared(x)


def train(loader, options):
    model = Net(options).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
