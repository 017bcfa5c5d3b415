import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body
        self.fc = nn.Linear(2048, 10)

    def forward(self, x):
        return self.fc(self.body(x))


def train(loader, body):
    """Two tensors need no fused update."""
    model = Net(body).cuda()
    optimizer = torch.optim.Adam(model.fc.parameters(), lr=1e-3)  # want SAT406 "not fused; it updates a single layer"
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
