import numpy as np
import PIL.Image
import torch
from torch.utils.data import DataLoader, Dataset


class Scenes(Dataset):
    """Images of different sizes cannot share a batch."""

    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.from_numpy(np.array(PIL.Image.open(self.files[i]))).float()


def train(model, optimizer, files):
    model.to("cuda")
    loader = DataLoader(Scenes(files), batch_size=1, shuffle=True)
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
