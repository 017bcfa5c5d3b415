import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.load(self.files[i])


def train(files):
    loader = DataLoader(Pairs(files), batch_size=1, shuffle=True, num_workers=2)  # want SAT211 "often trained on a few samples by choice"
    painter = nn.Conv2d(3, 3, 3, padding=1).cuda()
    discriminator = nn.Conv2d(3, 1, 3).cuda()
    optimizer_g = optim.Adam(painter.parameters())
    optimizer_d = optim.Adam(discriminator.parameters())
    for x in loader:
        x = x.cuda()
        fake = painter(x)
        loss = discriminator(x).mean() - discriminator(fake.detach()).mean()
        loss.backward()
        optimizer_d.step()
        (-discriminator(fake).mean()).backward()
        optimizer_g.step()
