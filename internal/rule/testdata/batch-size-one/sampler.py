import torch
from torch.utils.data import DataLoader, Sampler


class ByAspect(Sampler):
    def __init__(self, data, batch_size):
        self.data, self.batch_size = data, batch_size

    def __iter__(self):
        return iter([range(self.batch_size)])


def train(data, model, optimizer):
    model.cuda()
    loader = DataLoader(data, num_workers=3, batch_sampler=ByAspect(data, batch_size=2))  # want SAT211 "batch size is 2"
    enough = DataLoader(data, num_workers=3, batch_sampler=ByAspect(data, batch_size=32))
    for x in loader:
        model(x.cuda()).sum().backward()
        optimizer.step()
    for x in enough:
        model(x.cuda()).sum().backward()
        optimizer.step()
