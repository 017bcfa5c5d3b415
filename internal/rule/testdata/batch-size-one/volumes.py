import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Volumes(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.load(self.files[i])


def train(files):
    loader = DataLoader(Volumes(files), batch_size=2, shuffle=True)  # a few volumes fill the memory
    model = nn.Sequential(nn.Conv3d(1, 32, 3), nn.ReLU(), nn.Conv3d(32, 2, 3)).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
