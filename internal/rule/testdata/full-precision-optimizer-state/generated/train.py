import torch
from model import Net, optimizer


def main(loader):
    net = Net(8, 8).cuda()
    steps = optimizer(net)
    for x in loader:
        net(x.cuda()).mean().backward()
        steps.step()


if __name__ == "__main__":
    main(torch.randn(100, 8))
