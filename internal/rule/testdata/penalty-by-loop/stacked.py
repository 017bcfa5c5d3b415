import torch
from torch import nn


def train(loader):
    model = nn.Linear(8, 8).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        squares = torch.stack([w.pow(2).sum() for n, w in model.named_parameters()])  # want SAT322 "a penalty on the weights"
        loss = model(x.cuda()).mean() + 0.01 * squares.sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
