import torch
from torch import nn


class Guard:
    def batch_done(self, state):
        if torch.isnan(state["loss"]):  # want SAT305 "decided on the host"
            raise RuntimeError("nan")

    def epoch_done(self, state):
        if torch.isnan(state["loss"]):
            raise RuntimeError("nan")


class Trainer:
    def __init__(self, callbacks):
        self.callbacks = callbacks
        self.net = nn.Linear(64, 64).cuda()
        self.optimizer = torch.optim.Adam(self.net.parameters())
        self.state = {"net": self.net}

    def emit(self, name):
        for callback in self.callbacks:
            run = getattr(callback, name)
            run(self.state)

    def fit(self, loader):
        for _ in range(9):
            for x in loader:
                loss = self.net(x.cuda(non_blocking=True)).sum()
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.state.update(loss=loss)
                self.emit("batch_done")
            self.emit("epoch_done")


Trainer([Guard()]).fit([])
