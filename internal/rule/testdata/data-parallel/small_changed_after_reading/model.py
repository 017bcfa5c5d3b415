import torch
from torch.nn.parallel import DataParallel, DistributedDataParallel


class Learner:
    def __init__(self, opt):
        self.opt = opt
        self.net = self.spread(torch.nn.Linear(8, 8))
        self.critic = self.alone(torch.nn.Linear(8, 8).to("cuda"))
        self.loss = torch.nn.MSELoss()
        self.optimizer = torch.optim.Adam(self.net.parameters(), fused=True)

    def spread(self, net):
        net = net.to("cuda")
        if self.opt["dist"]:  # what the file says, the command line overwrites
            net = DistributedDataParallel(net)
        else:
            net = DataParallel(net)  # want SAT601 "DataParallel"
        return net

    def alone(self, net):
        if self.opt["sharded"]:  # the file alone decides
            net = DistributedDataParallel(net)
        else:
            net = DataParallel(net)
        return net

    def feed(self, x):
        self.x = x.to("cuda", non_blocking=True)

    def optimize(self):
        self.optimizer.zero_grad()
        y = self.net(self.x)
        loss = self.loss(self.critic(y), y)
        loss.backward()
        self.optimizer.step()
