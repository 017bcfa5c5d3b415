import torch


def pretrain(model, loader, opt):
    optimizer = torch.optim.Adam(model.parameters())
    total = 0.0
    for x in loader:
        optimizer.zero_grad()
        loss = contrast(model(x.cuda(non_blocking=True)))
        loss.backward()
        optimizer.step()
        total += loss.item()  # want SAT301 "it needs opt.pretrain"
    return total


def contrast(x):
    return (x - x.flip(0)).square().mean()
