"""Lengths on the GPU are copied back to pack a batch."""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(80, 80, batch_first=True)

    def forward(self, x, lengths):
        return self.rnn(pack_padded_sequence(x, lengths, batch_first=True))[0].data  # want SAT324 "copies the lengths"


class Quiet(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(80, 80, batch_first=True)

    def forward(self, x, lengths):
        return self.rnn(pack_padded_sequence(x, lengths, batch_first=True))[0].data


def train(loader):
    model, other = Reader().cuda(), Quiet().cuda()
    optimizer = torch.optim.SGD([*model.parameters(), *other.parameters()], lr=0.1)
    for x, lengths in loader:
        x = x.cuda(non_blocking=True)
        loss = model(x, lengths.cuda(non_blocking=True)).mean() + other(x, lengths).mean()
        loss.backward()
        optimizer.step()
