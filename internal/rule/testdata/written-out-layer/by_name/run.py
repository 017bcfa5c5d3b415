"""A module that is imported by a name of which only the beginning is known."""

import argparse
from importlib import import_module

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--model", type=str, required=True)
args = parser.parse_args()

if __name__ == "__main__":
    x = import_module("models." + args.model)
    model = x.Model(x.Config()).to("cuda")
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for batch, labels in torch.load("batches.pt"):
        loss = torch.nn.functional.cross_entropy(model(batch.to("cuda")), labels.to("cuda"))
        loss.backward()
        optimizer.step()
