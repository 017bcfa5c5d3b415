import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Rays(Dataset):
    def __init__(self, path, split="train", transform=None):
        self.split = split
        self.transform = transform
        self.rays = torch.load(path)["rays"]
        self.colors = torch.zeros(len(self.rays), 3)

    def __len__(self):
        return len(self.rays)

    def __getitem__(self, i):
        if self.split == "train":
            sample = {"rays": self.rays[i], "colors": self.colors[i]}
        else:
            sample = {"rays": self.render(i)}
        if self.transform is not None:
            sample = self.transform(sample)
        return sample


class Pairs(Dataset):
    def __init__(self, pairs, training):
        self.training = training
        self.pairs = pairs
        self.labels = [0 for _ in range(len(pairs))]

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, i):
        """One pair."""
        pairs = self.pairs if self.training else self.pairs
        user = pairs[i][0]
        return user, pairs[i][1], self.labels[i]


def fit(loader):
    model = nn.Linear(8, 3).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in loader:
        loss = model(batch["rays"].cuda()).mean()
        loss.backward()
        optimizer.step()


def main(pairs, x, y):
    fit(DataLoader(Rays("rays.pt"), batch_size=1024, shuffle=True, num_workers=4))  # want SAT133 "in memory"
    fit(DataLoader(Pairs(pairs, True), batch_size=256, shuffle=True, num_workers=4))  # want SAT133 "in memory"
    fit(DataLoader(TensorDataset(x, y), 4096, shuffle=True, num_workers=4))  # want SAT133 "in memory"
