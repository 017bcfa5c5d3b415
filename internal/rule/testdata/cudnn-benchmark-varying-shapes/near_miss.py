import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.backends.cudnn.benchmark = True


class Crops(Dataset):
    def __getitem__(self, i):
        return self.clips[i][:16000]


def main():
    model = nn.Conv1d(80, 80, 3).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x in DataLoader(Crops()):
        model(x.cuda()).mean().backward()
        optimizer.step()
