import argparse
import json

from model import Learner
from data import loader


def parse(path):
    with open(path) as f:
        opt = json.load(f)
    opt["given"] = path
    return opt


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opt", default="options.json")
    parser.add_argument("--dist", default=False)
    args = parser.parse_args()
    opt = parse(args.opt)
    opt["dist"] = args.dist
    learner = Learner(opt)
    for x in loader():
        learner.feed(x)
        learner.optimize()


if __name__ == "__main__":
    main()
