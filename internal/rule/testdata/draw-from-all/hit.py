import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, path):
        self.texts = {}
        for line in open(path):
            key, text = line.split("\t")
            self.texts[key] = text
        self.keys = np.load(path + ".npy")

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, i):
        others = random.sample(list(self.texts.keys()), 4)  # want SAT137 "all of self.texts are copied for each draw"
        far = np.random.choice(len(self.keys), 8, replace=False)  # want SAT137 "puts all there are in a random order"
        return self.keys[i], self.keys[far], [self.texts[o] for o in others]


def train(field, images, steps):
    field.cuda()
    update = torch.optim.Adam(field.parameters(), fused=True)
    height, width = images.shape[1:3]
    for step in range(steps):
        coords = torch.stack(torch.meshgrid(torch.arange(height), torch.arange(width)), -1).reshape((-1, 2))
        chosen = np.random.choice(coords.shape[0], size=[1024], replace=False)  # want SAT137 "puts all there are in a random order"
        fixed = torch.randperm(480000)[:1024]  # want SAT137 "puts all there are in a random order"
        rays = coords[chosen].cuda()
        loss = (field(rays) - images[step].view(-1, 3)[:1024]).square().mean() + field(coords[fixed].cuda()).mean()
        loss.backward()
        update.step()
        update.zero_grad()


def learn(model, path):
    model.cuda()
    update = torch.optim.Adam(model.parameters(), fused=True)
    for key, far, others in DataLoader(Pairs(path), batch_size=32, num_workers=4):
        loss = model(key.cuda(), far.cuda()).mean()
        loss.backward()
        update.step()
        update.zero_grad()
