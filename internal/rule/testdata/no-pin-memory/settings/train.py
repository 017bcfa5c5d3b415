import argparse

import torch
import yaml
from torch.utils.data import DataLoader

from loaders import make_loader


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="config.yaml")
    parser.add_argument("--pin", type=bool, default=False)
    args = parser.parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)
    model = torch.nn.Linear(4, 4).cuda()
    first = DataLoader([], num_workers=4, pin_memory=cfg["loader"]["pin_memory"])  # want SAT203 "pageable"
    second = DataLoader([], num_workers=4, pin_memory=args.pin)  # want SAT203 "pageable"
    third = DataLoader([], num_workers=4, **cfg["other"])  # want SAT203 "pageable"
    return first, second, third, make_loader([], cfg["loader"]), model
