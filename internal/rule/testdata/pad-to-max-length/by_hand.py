import torch
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, rows, words, length=512):
        self.rows = rows
        self.words = words
        self.length = length

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        ids = [self.words[w] for w in self.rows[index].split()]
        missing = self.length - len(ids) - 2  # want SAT113 "padded to a fixed length: self.length - len.ids. - 2"
        return torch.tensor([1] + ids + [2] + [0] * missing)


class Shifted(Dataset):
    def __init__(self, rows, length):
        self.rows, self.length = rows, length

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        ids = self.rows[index]
        ids += [0] * (self.length - len(ids) + 1)  # want SAT113 "padded to a fixed length"
        return torch.tensor(ids[:-1]), torch.tensor(ids[1:])


class Others(Dataset):
    """As many as the batch needs are filled up where a batch is made."""

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]

    @staticmethod
    def collate(rows):
        longest = max(len(r) for r in rows)
        return torch.tensor([r + [0] * (longest - len(r)) for r in rows])


def train(rows, words, model):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    loader = DataLoader(Pairs(rows, words), batch_size=8, num_workers=4, pin_memory=True, persistent_workers=True)
    other = DataLoader(Others(rows), batch_size=8, num_workers=4, pin_memory=True, persistent_workers=True, collate_fn=Others.collate)
    shifted = DataLoader(Shifted(rows, 512), batch_size=8, num_workers=4, pin_memory=True, persistent_workers=True)
    for epoch in range(10):
        for x, y, _ in zip(loader, other, shifted):
            loss = model(x.cuda(non_blocking=True), y.cuda(non_blocking=True)).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
