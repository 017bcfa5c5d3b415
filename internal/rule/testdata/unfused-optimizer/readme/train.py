import torch
from torch import nn


def train(loader):
    model = nn.TransformerEncoderLayer(512, 8).cuda()
    optimizer = torch.optim.Adam(model.parameters())  # want SAT406 "torch 1.2 .README.md. updates one parameter at a time"
    for x in loader:
        loss = model(x.cuda()).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
