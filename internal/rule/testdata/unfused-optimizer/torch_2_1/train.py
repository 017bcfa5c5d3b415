import torch


def train(model, loader):
    model.cuda()
    optimizer = torch.optim.AdamW(model.parameters())  # want SAT406 "not fused"
    for x in loader:
        model(x.cuda()).sum().backward()
        optimizer.step()


def moved_later(model, accelerator, loader):
    optimizer = torch.optim.Adam(model.parameters())  # want SAT406 "not fused"
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x in loader:
        accelerator.backward(model(x).sum())
        optimizer.step()
