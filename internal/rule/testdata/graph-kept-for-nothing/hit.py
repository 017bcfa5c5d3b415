import torch


class Player:
    def __init__(self, net):
        self.net = net.cuda()
        self.opt = torch.optim.Adam(self.net.parameters())

    def learn(self, x, y):
        loss = torch.nn.functional.smooth_l1_loss(self.net(x.cuda()), y.cuda())
        self.opt.zero_grad()
        loss.backward(retain_graph=True)  # want SAT514 "the only backward"
        self.opt.step()


def main(net, loader):
    player = Player(net)
    for x, y in loader:
        player.learn(x, y)
