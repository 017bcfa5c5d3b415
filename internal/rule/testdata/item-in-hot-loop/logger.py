"""A logger that reads back what it is given: in every step by the loss, though the shortest way there is rare."""
import torch
from torch import nn


class Logger:
    def __init__(self, every=1000):
        self._every = every
        self.sums = {}

    def _due(self, step, every):
        every = every or self._every
        return step % every == 0

    def log(self, key, value, step, every=1):
        if not self._due(step, every):
            return
        if type(value) == torch.Tensor:
            value = value.item()  # want SAT301 "value.item"
        self.sums[key] = value

    def log_seldom(self, key, value, step, every=500):
        if not self._due(step, every):
            return
        self.sums[key] = value.item()


class Agent:
    def __init__(self):
        self.net = nn.Linear(8, 8).cuda()
        self.weight = torch.tensor(0.5).to("cuda")
        self.optimizer = torch.optim.SGD(self.net.parameters())

    @property
    def scale(self):
        return self.weight.exp()

    def update(self, batch, logger, step):
        loss = self.net(batch.cuda(non_blocking=True)).mean()
        logger.log("loss", loss, step)
        logger.log_seldom("loss", loss, step)
        loss.backward()
        self.optimizer.step()
        if step % 2 == 0:
            self.update_slowly(batch, logger, step)

    def update_slowly(self, batch, logger, step):
        loss = (self.net(batch.cuda(non_blocking=True)) * self.scale).sum()
        loss.backward()
        self.optimizer.step()
        value = loss.item()  # want SAT301 "loss.item"
        logger.log("scale", self.scale, value)


def train(loader):
    agent, logger, done = Agent(), Logger(), True
    for step, batch in enumerate(loader):
        if done:
            done = False
            logger.log("episode", 1, step)
        agent.update(batch, logger, step)
