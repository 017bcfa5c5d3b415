import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, n_in, width, depth):
        super().__init__()
        self.cells = nn.ModuleList(nn.LSTMCell(n_in if k == 0 else width, width) for k in range(depth))

    def forward(self, x, hs, cs):
        for step in range(x.size(1)):
            inp = x[:, step]
            for k, cell in enumerate(self.cells):
                hs[k], cs[k] = cell(inp, (hs[k], cs[k]))  # want SAT416 "recurrent cell"
                inp = hs[k]
        return hs


class Writer(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.cells = nn.ModuleList(nn.LSTMCell(width, width) for _ in range(depth))

    def forward(self, x, hs, cs):
        last = x[:, 0]
        for step in range(x.size(1)):
            inp = last
            for k, cell in enumerate(self.cells):
                hs[k], cs[k] = cell(inp, (hs[k], cs[k]))
                inp = hs[k]
            last = inp
        return hs


def main(loader):
    net, writer = Encoder(8, 64, 2).cuda(), Writer(64, 2).cuda()
    opt = torch.optim.AdamW(net.parameters())
    for x, hs, cs in loader:
        loss = net(x.cuda(), hs, cs)[-1].mean() + writer(x.cuda(), hs, cs)[-1].mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
