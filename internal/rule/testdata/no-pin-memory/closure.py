import torch
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.load(self.files[i])


def train(files, model, optimizer, steps):
    inner = DataLoader(Pairs(files), batch_size=16, shuffle=True, num_workers=4)  # want SAT203 "pageable"

    def endless():
        while True:
            for batch in inner:
                yield batch

    batches = endless()
    for step in range(steps):
        loss = model(next(batches).cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
