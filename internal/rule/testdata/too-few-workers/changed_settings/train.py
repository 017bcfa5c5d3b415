import sys
from pathlib import Path

import torch
import yaml
from PIL import Image
from torch.utils.data import DataLoader, Dataset


def over(below, own):
    out = dict(below)
    for k, v in own.items():
        out[k] = over(out[k], v) if isinstance(v, dict) and k in out else v
    return out


def load(path):
    own = yaml.safe_load(Path(path).read_text())
    below = own.pop("inherit", None)
    return over(load(Path(path).parent / below), own) if below else own


class Photos(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.tensor(list(Image.open(self.files[i]).convert("RGB").resize((224, 224)).tobytes()))


def train(settings, net, files, optimizer):
    net.cuda()
    for x in DataLoader(Photos(files), shuffle=True, **settings["loader"]):  # want SAT210 "num_workers=1 for the 64 costly samples"
        net(x.cuda()).mean().backward()
        optimizer.step()


if __name__ == "__main__":
    train(load(sys.argv[1]), None, [], None)
