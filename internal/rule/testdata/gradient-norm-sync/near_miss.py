import torch
from torch.nn.utils import clip_grad_norm_


def train(model, loader, optimizer, criterion):
    norms = []
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        norm = clip_grad_norm_(model.parameters(), 1.0)
        norms.append(norm)
        if step % 100 == 0:
            print(norm.item())
            print(sum(p.grad.norm().item() for p in model.parameters()))
        optimizer.step()
    count = sum(int(p.numel()) for p in model.parameters())
    return torch.stack(norms).tolist(), count


def report(model):
    for p in model.parameters():
        print(p.grad.norm().item())
