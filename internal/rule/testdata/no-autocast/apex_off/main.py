import argparse

from settings import TrainSettings
from trainer import Trainer


def begin(args: argparse.Namespace):
    Trainer(TrainSettings(steps=args.steps, mixed=args.mixed)).run()


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers()
    train = commands.add_parser("train")
    train.add_argument("--steps", type=int, default=1000)
    train.add_argument("--mixed", action="store_true")
    train.set_defaults(func=begin)
    args = parser.parse_args()
    args.func(args)


if __name__ == "__main__":
    main()
