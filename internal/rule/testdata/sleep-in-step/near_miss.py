import time

import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __getitem__(self, i):
        try:
            return torch.load(self.files[i])
        except OSError:
            time.sleep(1)  # and tries again
            return torch.load(self.files[i])

    def __len__(self):
        return len(self.files)


def train(model, optimizer, server):
    model.to("cuda")
    for epoch in range(10):
        for step, x in enumerate(DataLoader(Clips(), batch_size=32)):
            while not server.ready():
                time.sleep(0.1)
            loss = model(x.cuda()).mean()
            loss.backward()
            optimizer.step()
            if step % 1000 == 0:
                time.sleep(1)
        time.sleep(10)
