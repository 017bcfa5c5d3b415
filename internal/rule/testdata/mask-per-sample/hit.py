import torch
from torch.utils.data import DataLoader, Dataset


def causal(n):
    return torch.triu(torch.ones((1, n, n)), diagonal=1) == 0  # want SAT130 "causal mask is made"


class Sentences(Dataset):
    def __getitem__(self, i):
        ids = self.rows[i]
        return {"ids": ids, "mask": causal(ids.size(0))}


def train(model, optimizer):
    model.cuda()
    for x in DataLoader(Sentences(), num_workers=4, shuffle=True):
        loss = model(x["ids"].cuda(), x["mask"].cuda()).mean()
        loss.backward()
        optimizer.step()
