"""Tells whether random numbers come as they do after seeding by hand."""

import random
import sys

import numpy
import torch

seed = int(sys.argv[1])


def draw():
    return random.random(), numpy.random.rand(), torch.rand(1).item()


before = draw()
random.seed(seed), numpy.random.seed(seed), torch.manual_seed(seed)
print(before == draw(), hash("a word"))
