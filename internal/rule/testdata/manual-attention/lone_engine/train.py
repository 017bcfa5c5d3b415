"""Hands the class whose method takes the steps to what makes an engine of ignite of it: what it makes beside is trained."""

from engine import Steps
from model import Net
from runner import Runner


def main(loader, optimizer):
    model = Net(512).cuda()
    Runner(Steps).run(model, optimizer, loader)


if __name__ == "__main__":
    main([], None)
