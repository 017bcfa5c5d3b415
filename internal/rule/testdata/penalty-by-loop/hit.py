import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--l2", type=float, default=0.0)
args = parser.parse_args()


def train(loader):
    model = nn.Sequential(nn.Embedding(100, 8), nn.Linear(8, 8)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).mean()
        for w in model.parameters():  # want SAT322 "one tensor at a time"
            loss += 0.01 * torch.sum(w**2)
        for w in model[0].parameters():  # want SAT322 "its factor is 0"
            loss += args.l2 * torch.norm(w)
        loss = loss + 0.1 * sum(w.abs().sum() for w in model.parameters())  # want SAT322 "one tensor at a time"
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
