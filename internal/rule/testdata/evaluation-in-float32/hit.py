import torch
from torch import nn


@torch.no_grad()
def evaluate(model, held_out):
    model.eval()
    total = torch.zeros((), device="cuda")
    for x, y in held_out:
        total += nn.functional.cross_entropy(model(x.cuda()), y.cuda())  # want SAT712 "evaluation runs in float32"
    model.train()
    return total


def train(model, loader, held_out, optimizer):
    model.cuda()
    for epoch in range(10):
        for x, y in loader:
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        evaluate(model, held_out)
