import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Ratings(Dataset):
    def __init__(self, pairs, items, known):
        self.pairs, self.items, self.known = pairs, items, known

    def resample(self):
        self.filled = []
        for pair in self.pairs:
            for _ in range(4):
                item = np.random.randint(self.items)
                while (pair[0], item) in self.known:
                    item = np.random.randint(self.items)
                self.filled.append([pair[0], item])

    def resample_at_once(self):
        self.filled = np.random.randint(self.items, size=(len(self.pairs), 4))

    def __len__(self):
        return len(self.filled)

    def __getitem__(self, i):
        return torch.tensor(self.filled[i])


def train(model, optimizer, pairs, known):
    loader = DataLoader(Ratings(pairs, 1000, known), batch_size=64, num_workers=4)
    loader.dataset.resample()
    model.cuda()
    for epoch in range(20):
        loader.dataset.resample()  # want SAT125 "between epochs"
        loader.dataset.resample_at_once()
        for x in loader:
            loss = model(x.cuda()).mean()
            loss.backward()
            optimizer.step()
