"""The model is chosen by its name among those of a module, and its layers stand in another file."""
import argparse

import torch

import archs


def train(loader):
    parser = argparse.ArgumentParser()
    parser.add_argument("--arch", default="small")
    args = parser.parse_args()
    model = archs.__dict__[args.arch](classes=100)
    model = torch.nn.DataParallel(model).cuda()  # want SAT415 "tensor cores must transpose"
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for x in loader:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
