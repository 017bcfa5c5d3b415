import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 9)
        self.mix = nn.ModuleList([nn.Linear(9, 9) for _ in range(3)])

    def forward(self, words):
        hidden = self.embed(words)
        for layer in self.mix:
            hidden = layer(hidden) + hidden
        return hidden, words.ne(0)


class Stretch(nn.Module):
    def forward(self, rows, lengths):
        return torch.stack(self.rows(rows, lengths))

    def rows(self, rows, lengths):
        done = []
        for row, length in zip(rows, lengths):  # want SAT319 "rows"
            done.append(self.one(row, length))
        return done

    def one(self, row, length):
        return row.sum(0) * length


class Scales(nn.Module):
    def forward(self, maps):
        total = 0
        for one in maps:  # tensors of different sizes
            total = total + one.mean()
        return total


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.stretch, self.scales = Encoder(), Stretch(), Scales()

    def forward(self, words, lengths):
        hidden, known = self.encoder(words)
        maps = [hidden, hidden[:, ::2]]
        return self.stretch(hidden * 2, lengths) + self.scales(maps) + known.sum()


def train(loader, optimizer):
    model = Model().cuda()
    for words, boxes in loader:
        words = words.cuda()
        boxes = [b.cuda() for b in boxes]
        out = model(words, words.ne(0).sum(1))
        loss = out.sum() + overlap(out, boxes)
        loss.backward()
        optimizer.step()


def overlap(out, boxes):
    total = 0
    n = out.size(0)
    for i in range(n):  # want SAT319 "boxes"
        corner = boxes[i][:, :2].data
        total += area(corner, out)
    return total


def area(corner, out):
    return (corner * out).sum()
