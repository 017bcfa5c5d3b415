"""A function that is given both models and both optimizers, under other names."""

import torch
from torch import nn


def epoch(g, loss_of_g, opt_g, d, loss_of_d, opt_d, loader):
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        fake = g(x)
        if x.size(0) > 4:
            judged = d(fake, x)  # want SAT515 "d computes gradients of its weights for another update"
        else:
            judged = d(fake)
        loss = loss_of_g(fake, y, judged)
        opt_g.zero_grad()
        loss.backward()  # told SAT515 "gradients of its weights are computed here"
        opt_g.step()
        if x.size(0) > 4:
            judged = d(fake.detach(), x)
        else:
            judged = d(fake.detach())
        loss = loss_of_d(judged, d(y))
        opt_d.zero_grad()
        loss.backward()  # told SAT515 "its own update begins here"
        opt_d.step()


def main(loader):
    maker = nn.Sequential(nn.Conv1d(80, 256, 7), nn.ReLU(), nn.Conv1d(256, 1, 7)).cuda()
    judge = nn.Sequential(nn.Conv1d(1, 256, 7), nn.ReLU(), nn.Conv1d(256, 1, 7)).cuda()
    opt_maker = torch.optim.AdamW(maker.parameters(), fused=True)
    opt_judge = torch.optim.AdamW(judge.parameters(), fused=True)
    for _ in range(100):
        epoch(maker, nn.L1Loss(), opt_maker, judge, nn.MSELoss(), opt_judge, loader)
