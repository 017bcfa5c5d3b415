import torch
from model import Net


def main(loader):
    net = Net().cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in loader:
        net(x.cuda()).backward()
        optimizer.step()


if __name__ == "__main__":
    main(torch.randn(100, 8))
