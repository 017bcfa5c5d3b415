import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Trainer:
    def __init__(self, model, teacher, options):
        model = model.cuda()
        if options["many"]:
            self.teacher = DistributedDataParallel(teacher.cuda(), device_ids=[torch.cuda.current_device()])
            self.model = nn.DataParallel(model)  # want SAT601 "through DataParallel$"
        else:
            self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def train(self, loader):
        for x in loader:
            loss = self.model(x.cuda()).sum()
            loss.backward()
            self.optimizer.step()
