"""The batch sampler has the size of the batches."""
import soundfile
import torch
from torch.utils.data import DataLoader, Dataset, Sampler


class Clips(Dataset):
    def __getitem__(self, i):
        return torch.from_numpy(soundfile.read(self.files[i])[0])


class Alike(Sampler):
    def __init__(self, data, batch_size):
        self.data, self.batch_size = data, batch_size


def train(model, optimizer, few):
    model.cuda()
    data = Clips()
    near = DataLoader(data, batch_sampler=Alike(data, 64), num_workers=8)
    for x in DataLoader(data, batch_sampler=Alike(data, batch_size=64), num_workers=2):  # want SAT210 "64 costly samples"
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
    for x in near:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
