import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Faces(Dataset):
    def __init__(self, files):
        self.files = sorted(files)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.load(self.files[i])


def get_args_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", default=64, type=int)
    parser.add_argument("files", nargs="+")
    return parser


def main(args):
    loader = DataLoader(Faces(args.files), batch_size=args.batch_size, shuffle=True)  # want SAT211 "the batch size is 4 at most, in each of 2 recipes"
    model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 3, 3)).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main(get_args_parser().parse_args())
