import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(512, 512)

    def forward(self, x):
        x = self.lin(x)
        if x.dtype == torch.float16 and (torch.isinf(x).any() or torch.isnan(x).any()):  # never, in float32
            x = x.clamp(-1000, 1000)
        if torch.isnan(x).any():  # want SAT305 "is decided on the host"
            raise ValueError("NaN")
        return x


def train(loader):
    net = Layer().cuda()
    update = torch.optim.Adam(net.parameters(), fused=True)
    for x in loader:
        loss = net(x.cuda(non_blocking=True)).square().mean()
        loss.backward()
        update.step()
        update.zero_grad()
