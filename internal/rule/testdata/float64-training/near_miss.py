import torch
from torch import nn


def gradient_check(model, x):
    return torch.autograd.gradcheck(model.double(), x)


def main(loader, args):
    torch.set_default_dtype(torch.float32)
    model = nn.Linear(64, 1).to("cuda", torch.float32)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if args.debug:
        torch.set_default_dtype(torch.float64)
    for x, y in loader:
        loss = (model(x.cuda()) - y.cuda()).pow(2).mean().double()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
