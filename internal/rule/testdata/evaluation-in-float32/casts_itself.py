import torch
from torch import nn
from torch.cuda.amp import autocast


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 10)

    @autocast()
    def forward(self, x):
        return self.layer(x)


def train(loader, held_out):
    net = nn.DataParallel(Net()).cuda()
    optimizer = torch.optim.AdamW(net.parameters())
    for x, y in loader:
        with autocast():
            loss = nn.functional.cross_entropy(net(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        for x, y in held_out:
            net(x.cuda())
