import torch
from torch import nn


class Drop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, p):
        gate = torch.cuda.FloatTensor([0]).bernoulli_(1 - p)
        ctx.save_for_backward(gate)
        if gate.item() == 0:  # want SAT301 "waits for the GPU in every step"
            return x * p
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad, None


drop = Drop.apply


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        if factor == 0:  # a number: the context is not the first argument of apply
            return x
        return x * factor


scale = Scale.apply


class Unused(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x / x.max().item()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(512, 512)

    def forward(self, x):
        return scale(drop(self.linear(x), 0.1), 2)


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
