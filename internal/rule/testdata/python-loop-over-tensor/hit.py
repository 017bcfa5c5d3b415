import torch
import torch.nn.functional as F


def mean_loss(out, target):
    loss = 0
    batch, frames = out.shape
    for i in range(batch):  # want SAT319 "computes on out one part at a time"
        loss += F.mse_loss(out[i], target[i])
    return loss / batch


def train(model, loader, optimizer):
    model.cuda()
    for x, lengths in loader:
        x = x.cuda()
        out = model(x)
        means = []
        for i in range(out.size(0)):  # want SAT319 "computes on out one part at a time"
            means.append(torch.mean(out[i, : lengths[i]], dim=0))
        loss = mean_loss(out, x) + torch.stack(means).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
