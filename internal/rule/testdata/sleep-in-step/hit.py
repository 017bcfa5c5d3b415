import time

import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __getitem__(self, i):
        time.sleep(0.001)  # want SAT326 "the dataset sleeps for every sample"
        return torch.load(self.files[i])

    def __len__(self):
        return len(self.files)


def rest():
    time.sleep(0.05)  # want SAT326 "training sleeps in every step"


def train(model, optimizer):
    model.to("cuda")
    for x in DataLoader(Clips(), batch_size=32):
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        rest()
