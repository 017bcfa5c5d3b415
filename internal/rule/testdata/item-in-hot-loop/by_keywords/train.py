import torch

from meters import Counts, Tally


def train(net, loader, opt):
    net = net.cuda()
    tally, counts = Tally(), Counts()
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(net(x.cuda()), y.cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
        tally.note(loss=loss)
        counts.note(samples=len(x))
