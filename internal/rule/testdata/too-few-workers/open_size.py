"""One worker is too few for costly samples, however many a batch has."""
import soundfile
import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __getitem__(self, i):
        return torch.from_numpy(soundfile.read(self.files[i])[0])


def train(model, optimizer, size):
    model.cuda()
    for x in DataLoader(Clips(), batch_size=size, num_workers=1, shuffle=True):  # want SAT210 "one worker prepares"
        model(x.cuda()).mean().backward()
        optimizer.step()
    for x in DataLoader(Clips(), batch_size=size, num_workers=2, shuffle=True):
        model(x.cuda()).mean().backward()
        optimizer.step()
    for x in DataLoader(Clips(), num_workers=1, shuffle=True):
        model(x.cuda()).mean().backward()
        optimizer.step()
