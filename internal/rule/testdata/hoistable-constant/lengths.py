import torch
from torch import nn


class Encoder(nn.Module):
    def forward(self, xs):
        lengths = torch.IntTensor([len(x) for x in xs])
        starts = torch.cumsum(lengths, 0)
        ends = (starts + lengths - 1).clamp(min=0).flip(0).sqrt().exp()
        return xs[0], ends


def train(model, loader, optimizer):
    model.cuda()
    for xs in loader:
        loss = model([x.cuda(non_blocking=True) for x in xs])[0].mean()
        loss.backward()
        optimizer.step()
