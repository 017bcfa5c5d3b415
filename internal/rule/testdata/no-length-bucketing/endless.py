from itertools import chain, repeat

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def collate(samples):
    return pad_sequence(samples, batch_first=True)


def train(data):
    net = nn.Linear(64, 64).cuda()
    optimizer = torch.optim.Adam(net.parameters())
    loader = DataLoader(data, batch_size=32, shuffle=True, collate_fn=collate)  # want SAT114 "short and long"
    stream = chain.from_iterable(repeat(loader))
    for step, x in enumerate(stream, 1):
        loss = net(x.cuda()).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step == 9000:
            break


def look(data):
    shown = DataLoader(data, batch_size=32, shuffle=True, collate_fn=collate)
    for x in shown:
        print(x.shape)


train([])
look([])
