"""Two models: one makes what the other judges, with and without its gradient."""

import torch
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.arange(64.0).reshape(16, 4))
maker, judge = torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)
of_maker, of_judge = torch.optim.SGD(maker.parameters(), lr=0.01), torch.optim.SGD(judge.parameters(), lr=0.01)
for (real,) in DataLoader(data, batch_size=4):
    fake = maker(real)
    of_maker.zero_grad()
    judge(fake).mean().backward()
    of_maker.step()
    of_judge.zero_grad()
    (judge(real) - judge(fake.detach())).mean().backward()
    of_judge.step()
