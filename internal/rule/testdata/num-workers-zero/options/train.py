import argparse
import os

import yaml
from torch.utils.data import DataLoader

from model import build


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--num-workers", type=int, default=0)
    args = parser.parse_args()
    with open("config.yaml") as f:
        config = yaml.safe_load(f)
    model = build().to("cuda")
    first = DataLoader(config["files"], shuffle=True, num_workers=args.num_workers)  # want SAT201 "in the training process"
    second = DataLoader(config["files"], shuffle=True, **config["loader"])  # want SAT201 "in the training process"
    third = DataLoader(config["files"], shuffle=True)  # want SAT201 "in the training process"
    for x in first:
        model(x).sum().backward()
    return second, third, os.getpid()
