import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--amp", default=True)
args = parser.parse_args()


def train(model, loader, optimizer):
    model = model.cuda()
    use = args.amp and torch.cuda.is_available()
    for x in loader:
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=use):
            loss = model(x).mean()
        loss.backward()
        optimizer.step()
