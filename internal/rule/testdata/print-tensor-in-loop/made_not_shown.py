"""Texts that each step makes, though few are shown, and those of a logger that keeps sums."""
import sys

import torch
from torch import nn


class Logger:
    def __init__(self):
        self.sums = {}
        self.names = {}

    def log(self, losses, step):
        for name in losses:
            if name not in self.sums:
                self.sums[name] = losses[name].detach()
            else:
                self.sums[name] += losses[name].detach()
            self.names[name] = len(name)
            sys.stdout.write("%s: %.4f" % (name, self.sums[name] / step))  # want SAT302 "is turned into text"
            sys.stdout.write("%s: %d" % (name, self.names[name]))


def train(loader, optimizer, log):
    model = nn.Linear(8, 8).cuda()
    logger = Logger()
    for step, x in enumerate(loader):
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        line = "%d %.3f" % (step, loss)  # want SAT302 "loss is turned into text in every step"
        if step % 100 == 0:
            log.info(line)
            log.info("%.3f" % loss)
        logger.log({"all": loss, "first": loss}, step + 1)
