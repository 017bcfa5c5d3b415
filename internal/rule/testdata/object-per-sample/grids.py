import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Rays(Dataset):
    def __init__(self, images, size):
        self.images, self.size = images, size

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        places = np.mgrid[0:self.size[0], 0:self.size[1]].astype(np.float32)  # want SAT107 "the same grid of coordinates is made"
        return self.images[i], torch.from_numpy(places)


class Fields(Dataset):
    def __init__(self, images, side):
        self.images, self.side = images, side

    def __len__(self):
        return len(self.images)

    def places(self):
        y, x = torch.meshgrid(torch.arange(self.side), torch.arange(self.side), indexing="ij")  # want SAT107 "the same grid"
        return torch.stack((y, x))

    def __getitem__(self, i):
        return self.images[i], self.places()


class Ragged(Dataset):
    def __init__(self, images):
        self.images = images
        self.places = np.mgrid[0:64, 0:64]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = self.images[i]
        places = np.mgrid[0:image.shape[0], 0:image.shape[1]]
        shifted = np.meshgrid(np.arange(64) + np.random.rand(), np.arange(64))
        return image, places, shifted, self.places


def train(model, images, optimizer):
    model.cuda()
    for data in (Rays(images, (64, 64)), Fields(images, 64), Ragged(images)):
        for batch in DataLoader(data, batch_size=8, num_workers=8, pin_memory=True):
            loss = model(*(x.cuda(non_blocking=True) for x in batch)).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
