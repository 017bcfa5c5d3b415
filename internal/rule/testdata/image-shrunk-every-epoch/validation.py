import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Rays(Dataset):
    def __init__(self, files, split="train"):
        self.files = files
        self.split = split
        self.rays = torch.zeros(1000, 6)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        if self.split == "train":
            return self.rays[i]
        else:
            return Image.open(self.files[i]).resize((400, 400))


def main(files, model, optimizer):
    loader = DataLoader(Rays(files, split="train"), num_workers=4)
    val_dataset = Rays(files, split="val")
    for epoch in range(10):
        for x in loader:
            model(x.cuda()).sum().backward()
            optimizer.step()
        for x in DataLoader(val_dataset, num_workers=4):
            model(x.cuda())
