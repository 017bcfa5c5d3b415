import torch
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, rows):
        self.rows = rows
        self.names = [r["name"] for r in rows]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        partner = self.names.index(row["partner"])  # want SAT132 "all samples are searched for every sample"
        return torch.tensor(row["x"]), torch.tensor(self.rows[partner]["x"])


class Users(Dataset):
    def __init__(self, events):
        self.events = events

    def __len__(self):
        return len(self.events)

    def __getitem__(self, i):
        return torch.tensor(self.history(self.events[i].user))

    def history(self, user):
        return [e.item for e in self.events if e.user == user]  # want SAT132 "searched"


class Negatives(Dataset):
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        other = []
        for j, item in enumerate(self.items):  # want SAT132 "searched"
            if item.label != self.items[i].label:
                other.append(j)
        return self.items[i].x, other


def train(model, optimizer, rows):
    for data in (Pairs(rows), Users(rows), Negatives(rows)):
        for batch in DataLoader(data, batch_size=32):
            model(batch).mean().backward()
            optimizer.step()
