import argparse

import train


def parse_args():
    parser = argparse.ArgumentParser("submit", parents=[train.get_args_parser()])
    parser.add_argument("--nodes", default=2, type=int)
    return parser.parse_args()
