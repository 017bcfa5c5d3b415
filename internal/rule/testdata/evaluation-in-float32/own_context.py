import torch
from torch import nn


def half(options):
    return torch.autocast("cuda", dtype=torch.bfloat16, enabled=options.half)


@torch.no_grad()
def evaluate(model, held_out, options):
    model.eval()
    with half(options):
        for x, y in held_out:
            model(x.cuda())
    model.train()


def train(model, loader, held_out, optimizer, options):
    model.cuda()
    for x, y in loader:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
    evaluate(model, held_out, options)
