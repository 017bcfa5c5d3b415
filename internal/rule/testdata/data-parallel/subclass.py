from torch import nn


class Replicated(nn.DataParallel):
    def __getattr__(self, name):
        return getattr(self.module, name)


def train(model, loader, optimizer):
    model = Replicated(model.cuda())  # want SAT601 "one process drives all GPUs"
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
