"""A batch is taken apart by one function, and handed on as tuples within a tuple."""
import torch
from torch import nn


def to_gpu(x):
    x = x.contiguous()
    if torch.cuda.is_available():
        x = x.cuda(non_blocking=True)
    return x


def longest(lengths):
    return torch.max(lengths).item()  # want SAT301 "waits for the GPU in every step"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, 32)

    def parse_batch(self, batch):
        text, text_lengths, frames = batch
        width = text.size(1)
        text, frames = to_gpu(text), to_gpu(frames)
        lengths = to_gpu(text_lengths).long()
        return (text, lengths, width, frames.shape[0]), (frames, lengths)

    def forward(self, inputs):
        text, lengths, width, count = inputs
        small = float(width) + int(count)  # of the shape
        return self.embedding(text)[:, :longest(lengths)] * small


class Loss(nn.Module):
    def forward(self, output, targets):
        frames, lengths = targets
        return (output.sum() - frames.sum()) / lengths.sum().item()  # want SAT301 "waits for the GPU in every step"


class Pair(nn.Module):
    def forward(self, *inputs):
        near = inputs[0]
        scale = inputs[2]
        return near * near.max().item() * float(scale)  # want SAT301 "waits for the GPU in every step"


def train(loader):
    net, criterion, pair = Net().cuda(), Loss(), Pair()
    optimizer = torch.optim.Adam(net.parameters(), fused=True)
    for batch in loader:
        x, y = net.parse_batch(batch)
        output = net(x)
        loss = criterion(output, y) + pair(output, output, 3.0).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
