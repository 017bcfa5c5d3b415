import torch
from transformers import AdamW


def train(model, loader):
    model.cuda()
    optimizer = AdamW(model.parameters(), lr=1e-5)  # want SAT406 "one parameter at a time"
    for x in loader:
        model(x).mean().backward()
        optimizer.step()
