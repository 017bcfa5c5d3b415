import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, table):
        self.table = table

    def __len__(self):
        return len(self.table)

    def __getitem__(self, i):
        return self.table[i, 1:], self.table[i, 0]


def train(table):
    model = nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 1)).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    loader = DataLoader(Rows(table), batch_size=256, shuffle=True)  # want SAT211 "the rows are small"
    for _ in range(100):
        for x, y in loader:
            loss = (model(x.cuda()) - y.cuda()).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
