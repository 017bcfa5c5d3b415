import torch
from torch import nn


@torch.jit.script
def swish(x):
    return x * torch.sigmoid(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(1024, 16)

    def forward(self, x):
        return swish(self.layer(x))

    @torch.jit.ignore
    def without_decay(self):
        return {"layer"}


def main(loader):
    judge = torch.jit.load("judge.pt")
    model = Net().to("cuda")  # want SAT411 "not compiled"
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(judge(x))


main([])
