"""What no settings file says and no arm sets is left out."""
import torch
import yaml
from torch import nn
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self, options, rate=0.0):
        super().__init__()
        self.options = options
        if rate > 0:
            self.drop = nn.Dropout(rate)
        self.inner = nn.Linear(64, 10)

    def forward(self, x):
        x = self.inner(x)
        if hasattr(self, "drop"):
            print(x.max().item())  # want SAT301 "needs hasattr"
        if not hasattr(self, "table"):
            self.table = x.mean()
        if self.options.get("show"):
            print(x.min().item())
        if "limit" in self.options:
            print(x.sum().item())
        return x


def main():
    options = {"size": 64}
    model = Net(options).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in DataLoader(torch.load("data"), batch_size=64, num_workers=4):
        loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        print(loss.item())  # want SAT301 "in every step"
        loss.backward()
        optimizer.step()


main()
