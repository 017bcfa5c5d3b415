import os

import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))
MORE = int(os.environ.get("MORE_WORKERS", "8"))


class Photos(Dataset):
    def __init__(self, files, transform):
        self.files, self.transform = files, transform

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return self.transform(Image.open(self.files[index]))


def train(model, data):
    model = model.to("cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    for loader in (
        DataLoader(data, 64, shuffle=True, num_workers=WORKERS),  # want SAT201 "in the training process"
        DataLoader(data, 64, shuffle=True, num_workers=MORE),
    ):
        for x in loader:
            loss = model(x.to("cuda")).mean()
            loss.backward()
            optimizer.step()
