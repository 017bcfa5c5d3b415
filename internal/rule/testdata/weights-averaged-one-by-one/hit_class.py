import torch
from torch import nn


class Average:
    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = [w.clone() for w in model.parameters()]

    @torch.no_grad()
    def update(self, model):
        for a, w in zip(self.shadow, model.parameters()):  # want SAT320 "one tensor at a time"
            a.mul_(self.decay).add_(w, alpha=1 - self.decay)


def train(loader):
    model = nn.Linear(8, 8).cuda()
    slow = Average(model, 0.999)
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        slow.update(model)
        optimizer.zero_grad()
