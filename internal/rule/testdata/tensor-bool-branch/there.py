import torch


def train(net, loader, optimizer, limit=None):
    net.cuda()
    for x in loader:
        loss = net(x.cuda()).mean()
        loss.backward()
        for p in net.parameters():
            if p.grad is not None and not torch.isfinite(p.grad).all():  # want SAT305 "decided on the host"
                p.grad.zero_()
        if limit is not None and loss > limit:
            break
        optimizer.step()
