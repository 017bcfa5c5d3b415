def train(model, loader, optimizer):
    model.cuda()
    for x in loader:
        for p in model.parameters():  # want SAT506 "one gradient after the other"
            if p.grad is not None:
                p.grad.zero_()
        model(x.cuda()).sum().backward()
        optimizer.step()


def again(model, loader, optimizer):
    model.cuda()
    for x in loader:
        model(x.cuda()).sum().backward()
        optimizer.step()
        for _, weight in model.named_parameters():  # want SAT506 "one gradient after the other"
            weight.grad.data.fill_(0)


def groups(model, loader, optimizer):
    model.cuda()
    for x in loader:
        model(x.cuda()).sum().backward()
        optimizer.step()
        for group in optimizer.param_groups:
            for p in group["params"]:  # want SAT506 "one gradient after the other"
                p.grad.detach_()
                p.grad.zero_()


def replaced(model, loader, optimizer, weights):
    import torch

    model.cuda()
    for x in loader:
        model(x.cuda()).sum().backward()
        optimizer.step()
        for w in weights:  # want SAT506 "one gradient after the other"
            w.grad = torch.zeros_like(w)


def once(model, loader, optimizer, weights):
    model.cuda()
    for w in weights:
        w.grad.zero_()
    for x in loader:
        model(x.cuda()).sum().backward()
        weights[0].grad.zero_()
        optimizer.step()


def clipped(model, loader, optimizer):
    model.cuda()
    for x in loader:
        model(x.cuda()).sum().backward()
        for p in model.parameters():
            p.grad.clamp_(-1, 1)
            p.data.zero_()
        optimizer.step()
        optimizer.zero_grad()
