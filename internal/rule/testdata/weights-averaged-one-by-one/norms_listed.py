import torch
from torch import nn


class Scaler:
    def __init__(self):
        self.scaler = torch.cuda.amp.GradScaler()

    def __call__(self, loss, optimizer, weights, most=None):
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(optimizer)
        if most is not None:
            norm = torch.nn.utils.clip_grad_norm_(weights, most)
        else:
            norm = length(weights)
        self.scaler.step(optimizer)
        self.scaler.update()
        return norm


def length(weights, kind=2.0):
    weights = [w for w in weights if w.grad is not None]
    return torch.norm(torch.stack([torch.norm(w.grad.detach(), kind) for w in weights]), kind)  # want SAT320 "and nothing reads it"


def size(model):
    parts = [w.grad for w in model.parameters() if w.grad is not None]
    return torch.norm(torch.stack([torch.norm(g.detach(), 2) for g in parts]), 2)  # want SAT320 "computed one tensor at a time in every step"


def rarely(model):
    return torch.stack([w.grad.norm() for w in model.parameters()]).norm()


def train(loader):
    model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 8, 3)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    scaler, sizes = Scaler(), []
    for step, x in enumerate(loader):
        loss = model(x.cuda()).mean()
        scaler(loss, optimizer, model.parameters())
        sizes.append(size(model))
        if step % 100 == 0:
            print(rarely(model))
        optimizer.zero_grad()
