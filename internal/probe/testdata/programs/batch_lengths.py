"""Samples of 1 to 64 numbers in shuffled batches of four, with an evaluation after each epoch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.ones(index + 1), index % 2


def collate(items):
    return nn.utils.rnn.pad_sequence([x for x, _ in items], batch_first=True), torch.tensor([y for _, y in items])


model = nn.Linear(1, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loader = DataLoader(Samples(), batch_size=4, shuffle=True, collate_fn=collate)
valid = DataLoader(Samples(), batch_size=4, collate_fn=collate)
for epoch in range(3):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x[..., None]).mean(1), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    with torch.no_grad():
        for x, y in valid:
            model(x[..., None])
