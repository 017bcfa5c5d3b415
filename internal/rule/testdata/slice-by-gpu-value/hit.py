import torch
from torch import nn


def slice_segments(x, starts, size=4):
    out = torch.zeros_like(x[:, :, :size])
    for i in range(x.size(0)):
        start = starts[i]
        end = start + size
        out[i] = x[i, :, start:end]  # want SAT317 "waits for start"
    return out


def random_slices(x, lengths, size=4):
    starts = (torch.rand([x.size(0)], device=x.device) * (lengths - size)).to(dtype=torch.long)
    return slice_segments(x, starts, size)


class Generator(nn.Module):
    def forward(self, x, lengths):
        return random_slices(x, lengths)


def train(net: Generator, loader, optimizer, encoder):
    net.cuda()
    for mels, lengths in loader:
        mels, lengths = mels.cuda(non_blocking=True), lengths.cuda(non_blocking=True)
        styles = []
        for i in range(len(lengths)):
            styles.append(encoder(mels[i, :, : lengths[i]]))  # want SAT317 "waits for lengths.i."
        loss = net(mels, lengths).mean() + torch.stack(styles).mean()
        loss.backward()
        optimizer.step()
