"""Rows that the loader gives, and that Python shuffles, index tensors of the GPU."""
import random

import numpy as np
import torch
from torch import nn
from torch.autograd import Variable
from torch.utils.data import DataLoader, TensorDataset

Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor


def train(data):
    loader = DataLoader(TensorDataset(*data), batch_size=64)
    model = nn.Embedding(100, 8).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    table = torch.randn(1000, 8, device="cuda")
    for x, ids in loader:
        rows = table[ids]  # want SAT312 "ids is created on the host and copied in every step, to index table"
        loss = model(x.cuda()).mean() + rows.mean()
        loss.backward()
        optimizer.step()


def train_moved(data):
    loader = DataLoader(TensorDataset(*data), batch_size=64)
    model = nn.Embedding(100, 8).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    table = torch.randn(1000, 8, device="cuda")
    for n, (x, ids) in enumerate(loader):
        ids = ids.cuda()
        loss = model(x.cuda()).mean() + table[ids].mean() + table[n].mean()
        loss.backward()
        optimizer.step()


def train_shuffled(data):
    loader = DataLoader(TensorDataset(*data), batch_size=64)
    model = nn.Embedding(100, 8).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x, ids in loader:
        x = x.cuda()
        order = list(range(x.shape[0]))
        random.shuffle(order)
        loss = model(x[order]).mean()  # want SAT312 "order is created on the host"
        loss.backward()
        optimizer.step()


def train_against(data):
    loader = DataLoader(TensorDataset(*data), batch_size=64)
    model = nn.Linear(8, 8).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    beta = torch.distributions.Beta(0.4, 0.4)
    for x, ids in loader:
        valid = Variable(Tensor(x.size(0), 1).fill_(1.0), requires_grad=False)
        noise = Variable(Tensor(np.random.normal(0, 1, (x.shape[0], 8))))  # want SAT312 "is computed on the host"
        loss = model(noise).mean() + valid.mean()
        loss.backward()
        optimizer.step()


def train_mixed(data):
    loader = DataLoader(TensorDataset(*data), batch_size=64)
    model = nn.Linear(8, 8).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    beta = torch.distributions.Beta(0.4, 0.4)
    for x, ids in loader:
        share = beta.sample((x.size(0), 1)).cuda()  # want SAT312 "beta.sample"
        steps = torch.normal(0.0, 1.0, size=(x.size(0), 8)).cuda()  # want SAT312 "torch.normal"
        marks = torch.LongTensor(x.size(0)).zero_().cuda()  # want SAT312 "torch.LongTensor"
        loss = (model(steps) * share).mean() + marks.sum()
        loss.backward()
        optimizer.step()
