"""What the host holds as an array, a list or a number, and copies inside of a model or a step."""
import random

import numpy as np
import torch
from torch import nn


class Ranker(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.dev = args.device
        self.items = nn.Embedding(100, 8)
        self.places = nn.Embedding(100, 8)

    def forward(self, rows, mask):
        seen = self.items(torch.LongTensor(rows).to(self.dev))  # want SAT312 "rows is copied from the host"
        places = np.tile(np.arange(rows.shape[1]), [rows.shape[0], 1])
        seen = seen + self.places(torch.LongTensor(places).to(self.dev))
        return self.punish(seen, mask)

    def punish(self, x, mask):
        return x + mask.type_as(x) * x.new_tensor(-1e4)  # want SAT312 "1e4 is computed on the host"


def weigh(out, device):
    one = torch.tensor(1.0, device=device)  # want SAT312 "1.0 is computed on the host"
    return out.mean() * one


def draw(out):
    names = [random.random() for _ in range(8)]
    noise = torch.tensor(names).to(out.device)  # want SAT312 "names is computed on the host"
    return out + noise


def train(args, sampler):
    model = Ranker(args).cuda()
    optimizer = torch.optim.SGD(model.parameters())
    for step in range(1000):
        rows, mask = sampler.next_batch()
        out = model(rows, mask)
        at = np.where(rows != 0)
        kept = out[at]  # want SAT312 "at is created on the host and copied in every step, to index out"
        first = out[:, [0, 2]]
        loss = weigh(draw(out), out.device) + kept.mean() + first.mean()
        loss.backward()
        optimizer.step()
