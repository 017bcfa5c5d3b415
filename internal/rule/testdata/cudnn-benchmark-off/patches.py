import torch
from torch import nn
from torchvision import transforms as T

crop = T.CenterCrop(256)


class Net(nn.Module):
    def __init__(self, patch=16, dim=768):
        super().__init__()
        self.inp = nn.Conv2d(3, dim, patch, patch)
        self.out = nn.Linear(dim, 10)

    def forward(self, x):
        return self.out(self.inp(x).flatten(2).mean(2))


def main(loader):
    net = Net().cuda()
    opt = torch.optim.AdamW(net.parameters())
    for x in loader:
        net(crop(x).cuda()).sum().backward()
        opt.step()


if __name__ == "__main__":
    main([torch.zeros(8, 3, 256, 256)])
