import torch

from learners import TABLE
from reading import read_settings


def main(settings):
    net = torch.nn.Linear(4, 4).cuda()
    learner = TABLE[settings.learner](net)
    step = 0
    while step < settings.steps:
        batch = torch.randn(32, 4, device="cuda")
        learner.learn(batch, step)
        step += 1


if __name__ == "__main__":
    main(read_settings())
