import torch
from torch import nn


class Segmenter(nn.Module):
    """The weights were saved with a wrapper; training uses the network without it."""

    def __init__(self, network, weights):
        super().__init__()
        wrapped = nn.DataParallel(network)
        wrapped.load_state_dict(weights)
        self.base = nn.Sequential(*list(network.children()))

    def forward(self, x):
        return self.base(x)


def main(network, weights, loader):
    model = Segmenter(network, weights)
    model = nn.DataParallel(model).cuda()  # want SAT601 "DataParallel"
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        model(x.cuda()).mean().backward()
        optimizer.step()


if __name__ == "__main__":
    main(nn.Linear(4, 4), {}, [])
