import torch


class Plain:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def learn(self, batch, step):
        loss = self.net(batch).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return self.told(loss)

    def told(self, loss):
        return loss.item()  # want SAT301 "waits for the GPU in every step"


class Looked:
    def learn(self, batch, step):
        return 0


TABLE = {}
TABLE["plain"] = Plain
TABLE["looked"] = Looked
