import argparse
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from cfg import get_config


class Folder(Dataset):
    def __getitem__(self, i):
        return Image.open(self.files[i]).resize((224, 224))  # want SAT128 "the defaults leave it out"

    def __len__(self):
        return len(self.files)


class Zipped(Folder):
    pass


class Plain(Dataset):
    def __getitem__(self, i):
        return self.images[i]

    def __len__(self):
        return len(self.files)


def parse_option():
    parser = argparse.ArgumentParser()
    parser.add_argument("--zip", action="store_true")
    args, unparsed = parser.parse_known_args()
    config = get_config(args)
    return args, config


def build(config):
    if config.DATA.ZIP_MODE:
        data = Zipped()
    else:
        data = Plain()
    return DataLoader(data, batch_size=64, num_workers=8, shuffle=True)


def main(config):
    loader = build(config)
    model = torch.nn.Linear(3, 3).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(10):
        for x in loader:
            loss = model(x.cuda()).sum()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    args, config = parse_option()
    main(config)
