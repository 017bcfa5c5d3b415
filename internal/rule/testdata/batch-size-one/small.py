import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Sampler


class Images(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.load(self.files[i])


class ByAspect(Sampler):
    def __init__(self, data, batch_size):
        self.groups = [list(range(i, i + batch_size)) for i in range(0, len(data), batch_size)]

    def __iter__(self):
        return iter(self.groups)


def train(files):
    data = Images(files)
    loader = DataLoader(data, num_workers=3, batch_sampler=ByAspect(data, batch_size=2))  # want SAT211 "the batch size is 2"
    model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 10, 3)).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
