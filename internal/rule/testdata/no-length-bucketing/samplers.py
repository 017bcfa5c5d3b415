"""Samplers of torch that draw samples of any length."""

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, RandomSampler, SequentialSampler
from torch.utils.data.distributed import DistributedSampler


def pad(rows):
    return pad_sequence(rows, batch_first=True)


def train(data, model, optimizer):
    model.cuda()
    drawn = DataLoader(data, 32, sampler=RandomSampler(data), collate_fn=pad)  # want SAT114 "share a batch"
    spread = DataLoader(data, 32, sampler=DistributedSampler(data), collate_fn=pad)  # want SAT114 "share a batch"
    in_order = DataLoader(data, 32, sampler=DistributedSampler(data, shuffle=False), collate_fn=pad)
    sorted_before = DataLoader(data, 32, sampler=SequentialSampler(data), collate_fn=pad)
    for loader in (drawn, spread, in_order, sorted_before):
        for x in loader:
            loss = model(x.cuda()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
