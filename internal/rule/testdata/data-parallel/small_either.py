import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Trainer:
    def __init__(self, model, options):
        model = model.cuda()
        if options["dist"]:
            self.model = DistributedDataParallel(model, device_ids=[torch.cuda.current_device()])
        elif options["gpus"] > 1:
            self.model = nn.DataParallel(model)  # want SAT601 "can use DistributedDataParallel, if it is told to"
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def train(self, loader):
        for x in loader:
            loss = self.model(x.cuda()).sum()
            loss.backward()
            self.optimizer.step()
