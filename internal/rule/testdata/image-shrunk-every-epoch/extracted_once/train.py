import glob

import torch
from data import Features
from torch.utils.data import DataLoader


def main():
    model = torch.nn.Linear(256, 256).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x in DataLoader(Features(glob.glob("*.npy")), batch_size=64, shuffle=True):
            loss = model(x.cuda()).mean()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
