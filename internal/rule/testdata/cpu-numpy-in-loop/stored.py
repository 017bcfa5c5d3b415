"""A tensor of the host that is filled from the GPU part by part."""
import torch
from torch import nn


def place(at, value, table, there):
    table[at] = value * 2  # want SAT304 "table is on the host"
    there[at] = value


class Loss(nn.Module):
    def forward(self, out, boxes):
        goal = torch.Tensor(out.size(0), 4)
        near = torch.zeros(out.size(0), 4, device=out.device)
        for at in range(out.size(0)):
            place(at, boxes[at], goal, near)
        kept = torch.empty(4)
        kept[0] = 3.0
        return (out - goal.cuda()).abs().sum() + near.sum() + kept.sum()


def train(model, loader, optimizer):
    model.cuda()
    loss_of = Loss()
    for x, boxes in loader:
        x, boxes = x.cuda(non_blocking=True), boxes.cuda(non_blocking=True)
        loss = loss_of(model(x), boxes)
        loss.backward()
        optimizer.step()
