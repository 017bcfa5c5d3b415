import argparse

import pytorch_lightning as pl
from model import Model


def main():
    parser = argparse.ArgumentParser()
    parser = pl.Trainer.add_argparse_args(parser)
    args = parser.parse_args()
    model = Model().cuda()
    trainer = pl.Trainer.from_argparse_args(args, max_epochs=10)  # want SAT702 "unless you pass --precision"
    trainer.fit(model)


if __name__ == "__main__":
    main()
