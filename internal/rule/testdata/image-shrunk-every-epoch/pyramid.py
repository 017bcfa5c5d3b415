import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms


class Frames(Dataset):
    def __init__(self, files, height, width):
        self.files = files
        self.smaller = {}
        for i in range(4):
            self.smaller[i] = transforms.Resize((height // 2**i, width // 2**i))

    def prepare(self, image):
        levels = [image]
        for i in range(4):
            levels.append(self.smaller[i](levels[-1]))
        return levels

    def __getitem__(self, i):
        return self.prepare(Image.open(self.files[i]).convert("RGB"))  # want SAT128 "decoded at full size"


def train(model, files, optimizer):
    model.cuda()
    for x in DataLoader(Frames(files, 192, 640), num_workers=4, shuffle=True, pin_memory=True):
        loss = model(x[0].cuda()).mean()
        loss.backward()
        optimizer.step()
