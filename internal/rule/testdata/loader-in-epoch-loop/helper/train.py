import torch

from data import feeder, growing


def one_epoch(net, loader, opt):
    for x in loader:
        opt.zero_grad()
        net(x.cuda()).sum().backward()
        opt.step()


def main(net, data, epochs, steps):
    net = net.cuda()
    opt = torch.optim.AdamW(net.parameters())
    for epoch in range(epochs):
        one_epoch(net, feeder(data, 32, 4), opt)  # want SAT207 "in every epoch"
        one_epoch(net, growing(data, 8 * (epoch + 1)), opt)
    step = 0
    while step < steps:
        for x in feeder(data, 32, 4):  # want SAT207 "in every epoch"
            opt.zero_grad()
            net(x.cuda()).sum().backward()
            opt.step()
            step += 1
