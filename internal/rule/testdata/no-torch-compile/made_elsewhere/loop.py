import torch


class Fitting:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def loss(self, x, y):
        return torch.nn.functional.mse_loss(self.net(x), y)

    def fit(self, loader):
        for x, y in loader:
            self.optimizer.zero_grad()
            self.loss(x.cuda(), y.cuda()).backward()  # want SAT411 "not compiled"
            self.optimizer.step()


def by_hand(net, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        net.loss(x.cuda(), y.cuda()).backward()
        optimizer.step()
