import random

import jax
import jax.numpy as jnp
import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 10)

    def forward(self, x):
        return self.layer(x)


def over_samples(data):
    net = Net().cuda()
    optimizer = torch.optim.AdamW(net.parameters())
    for i in random.sample(range(len(data)), len(data)):
        x, y = data[i]
        row = x.unsqueeze(0).cuda()
        loss = nn.functional.cross_entropy(net(row), torch.tensor([y]).cuda())  # want SAT211 "net runs on one sample at a time"
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def over_rows(loader):
    net = Net().cuda()
    optimizer = torch.optim.AdamW(net.parameters())
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        out = torch.cat([net(x[i : i + 1]) for i in range(x.size(0))])  # want SAT211 "one sample at a time"
        loss = nn.functional.cross_entropy(out, y)
        for a, b in zip(x.split(1), y.split(1)):
            loss = loss + nn.functional.cross_entropy(net(a), b)  # want SAT211 "one sample at a time"
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def loss_of(params, x, y):
    return jnp.mean((x @ params - y) ** 2)


@jax.jit
def step(params, x, y):
    return params - 0.1 * jax.grad(loss_of)(params, x, y)


def with_jax(x, y, params):
    for i in np.random.permutation(len(x)):
        params = step(params, x[i : i + 1], y[i : i + 1])  # want SAT211 "step runs on one sample at a time"
    return params


def rollouts(tokenizer, policy, prompts):
    texts = []
    with torch.no_grad():
        for prompt in prompts:
            ids = tokenizer(prompt, return_tensors="pt").input_ids.cuda()
            texts.append(policy.generate(ids))  # want SAT211 "policy.generate runs on one sample at a time"
    return texts


def learn(policy, tokenizer, loader, optimizer):
    for prompts in loader:
        loss = policy(rollouts(tokenizer, policy, prompts)).mean()
        loss.backward()
        optimizer.step()
