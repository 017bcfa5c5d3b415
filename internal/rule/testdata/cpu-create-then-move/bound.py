"""Tensors that only the host can make so: no repair."""
import torch


def train(model, loader, optimizer, random):
    model.cuda()
    for x in loader:
        noise = torch.randn(3, generator=random).to("cuda")  # want SAT312 "created on the host"
        pinned = torch.zeros(3, pin_memory=True).cuda()  # want SAT312 "created on the host"
        loss = (model(x.cuda(non_blocking=True)) + noise + pinned).mean()
        loss.backward()
        optimizer.step()
