import torch


def train(model, loader, criterion):
    model.cuda()
    a = torch.optim.AdamW(model.parameters())
    b = torch.optim.AdamW(model.parameters(), foreach=False, fused=True)
    c = torch.optim.AdamW(model.parameters(), foreach=True)
    for x, y in loader:
        criterion(model(x), y).backward()
        a.step()
        b.step()
        c.step()
