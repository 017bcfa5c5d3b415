import torch
from torch import nn


def decay(optimizer):
    for group in optimizer.param_groups:
        for w in group["params"]:  # want SAT320 "weights are changed one tensor at a time in every step"
            w.data = w.data.add(w.data, alpha=-group["decay"] * group["lr"])


def limit(critic):
    for w in critic.parameters():  # want SAT320 "weights are changed one tensor at a time in every step"
        w.data.clamp_(-0.01, 0.01)


class Trust:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def step(self):
        for group in self.optimizer.param_groups:
            for w in group["params"]:  # want SAT320 "gradients are changed one tensor at a time in every step"
                if w.grad is not None:
                    w.grad.data *= torch.norm(w.data) / torch.norm(w.grad.data)
        self.optimizer.step()


def freeze(model):
    for w in model.parameters():
        w.requires_grad_(False)


def reset(model, start):
    for w, s in zip(model.parameters(), start):
        w.data.copy_(s)


def heat(optimizer, rate):
    for group in optimizer.param_groups:
        group["lr"] = rate


def train(loader, rates):
    model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 8, 3)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    other = Trust(torch.optim.AdamW(model.parameters(), fused=True))
    start = [w.clone() for w in model.parameters()]
    for step, x in enumerate(loader):
        heat(optimizer, rates[step])
        model(x.cuda()).mean().backward()
        decay(optimizer)
        optimizer.step()
        other.step()
        optimizer.zero_grad()
        limit(model)
        reset(model, start)
    freeze(model)
