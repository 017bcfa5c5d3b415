import argparse

import torch
from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("--pin-mem", action="store_true", default=False)


def main(args, dataset, model):
    for x in DataLoader(dataset, num_workers=4, pin_memory=args.pin_mem):  # want SAT203 "pageable"
        model(x.cuda()).mean().backward()


main(parser.parse_args(), [], None)
