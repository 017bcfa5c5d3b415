import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

KINDS = ["noise", "shift", "gain"]


class Pairs(Dataset):
    def __init__(self, path):
        self.keys = np.load(path)
        self.order = np.random.permutation(len(self.keys))[:1000]  # once
        self.kinds = ["noise", "shift"]
        self.draw = np.random.default_rng()

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, i):
        kind = random.choice(list(self.kinds))  # two of them
        other = random.choice(KINDS)
        far = self.draw.choice(len(self.keys), 8, replace=False)  # touches eight
        close = np.random.choice(len(self.keys), 8)  # with replacement: eight numbers
        local = random.sample(range(len(self.keys)), 8)  # copies nothing
        mixed = np.random.permutation(len(self.kinds))
        weighed = np.random.choice(len(self.keys), 8, replace=False, p=self.keys)
        return self.keys[i], far, close, local, kind, other, mixed, weighed


def learn(model, path):
    model.cuda()
    update = torch.optim.Adam(model.parameters(), fused=True)
    for key, far, *rest in DataLoader(Pairs(path), batch_size=32, num_workers=4):
        some = np.random.choice(100, 10, replace=False)  # a hundred
        there = torch.randperm(480000, device="cuda")[:1024]
        most = torch.randperm(len(path))[: len(path) - 1024]
        loss = model(key.cuda()[some], far.cuda(), there, most).mean()
        loss.backward()
        update.step()
        update.zero_grad()
