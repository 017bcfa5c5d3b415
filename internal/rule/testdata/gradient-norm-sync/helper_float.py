import torch
from torch import nn


def log_gradients(named):
    norms = {}
    for name, weight in named:
        if weight.grad is not None and not name.endswith(".bias"):
            norms[name] = float(torch.norm(weight.grad.data))  # want SAT315 "once per parameter"
    return norms


def total_norm(model):
    return sum(float(weight.grad.pow(2).sum()) for weight in model.parameters()) ** 0.5  # want SAT315 "once per parameter"


def sizes(model):
    return sum(int(weight.grad.numel()) for weight in model.parameters())  # the host knows the shape


def train(loader, writer):
    model = nn.TransformerEncoderLayer(512, 8).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for i, (x, y) in enumerate(loader):
        loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        norms = log_gradients(model.named_parameters())
        writer.add_scalar("norm", total_norm(model), i)
        sizes(model)
