import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader


def train(model, loader, optimizer, opt):
    for images, labels in loader:
        images = images.to(opt.gpu_ids[0])  # want SAT311 "waits"
        labels = labels.to(opt.gpu_ids[0])
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()


def main(dataset):
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu_ids", type=int, nargs="+", default=[0])
    opt = parser.parse_args()
    model = nn.Linear(512, 10).cuda(opt.gpu_ids[0])
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4, pin_memory=True)
    train(model, loader, torch.optim.SGD(model.parameters(), 0.1), opt)


if __name__ == "__main__":
    main(torch.load("samples.pt"))
