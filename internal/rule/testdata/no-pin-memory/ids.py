import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Tokens(Dataset):
    def __init__(self, path, length):
        self.data = np.fromfile(path, dtype=np.uint16).reshape(-1, length)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        sample = self.data[index]
        x = np.array(sample[:-1]).astype(np.int64)
        y = np.array(sample[1:]).astype(np.int64)
        return torch.from_numpy(x), torch.from_numpy(y)


def train(model, optimizer):
    model.cuda()
    loader = DataLoader(Tokens("tokens.bin", 512), batch_size=32, num_workers=4)  # want SAT203 "pageable"
    for x, y in loader:
        loss = model(x.cuda(), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
