import argparse
import json

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Faces(Dataset):
    def __init__(self, root):
        self.files = sorted(root)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.load(self.files[i])


def loader_of(data, options):
    return DataLoader(data, batch_size=options["batch_size"], shuffle=True)  # want SAT211 "4 in small.json"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-c")
    text = ""
    with open(parser.parse_args().c) as f:
        for line in f:
            text += line.split("//")[0]
    options = json.loads(text)
    for phase, part in options["datasets"].items():
        if phase == "train":
            loader = loader_of(Faces(part["root"]), part)
    model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 3, 3)).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
