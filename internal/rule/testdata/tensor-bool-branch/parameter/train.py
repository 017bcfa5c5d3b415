import torch

from model import Towers, pair_loss


def main(loader):
    net = Towers().cuda()
    opt = torch.optim.AdamW(net.parameters())
    for x, y in loader:
        loss = pair_loss(net.left(x.cuda()), net.right(y.cuda()), net.sharp, 1.0)
        opt.zero_grad()
        loss.backward()
        opt.step()
