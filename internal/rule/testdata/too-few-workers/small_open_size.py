import soundfile
import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.from_numpy(soundfile.read(self.files[i])[0])


def train(files, model, optimizer, settings):
    model.cuda()
    for _ in range(10):
        for x in DataLoader(Clips(files), batch_size=settings.batch, num_workers=2, shuffle=True):  # want SAT210 "depends on the batch"
            loss = model(x.cuda()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
