import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, i):
        return self.rows[i]


class Files(Clips):
    def __getitem__(self, i):
        return torch.load(self.rows[i])


def train(model, rows, optimizer):
    model.to("cuda")
    for x in DataLoader(Clips(rows), batch_size=32):  # want SAT203 "without workers"
        model(x.cuda()).mean().backward()
        optimizer.step()
    for x in DataLoader(Files(rows), batch_size=32, num_workers=4):  # want SAT203 "pageable memory$"
        model(x.cuda()).mean().backward()
        optimizer.step()
