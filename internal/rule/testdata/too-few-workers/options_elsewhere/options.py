import argparse


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--workers", "-j", type=int, default=16)
    return parser.parse_args()
