import torch


def groups(net, rate):
    found = []
    for name, weight in net.named_parameters():
        found.append({"params": [weight], "lr": rate, "weight_decay": 0.0 if weight.ndim == 1 else 1e-4})  # want SAT407 "a group of its own"
    return found


def listed(net, rate):
    found = []
    for key, value in dict(net.named_parameters()).items():
        if value.requires_grad:
            found += [{"params": [value], "lr": rate}]  # want SAT407 "a group of its own"
    return found


def short(net):
    return [{"params": p, "lr": 0.1} for p in net.parameters()]  # want SAT407 "a group of its own"


def two(net, rate):
    decays, others = [], []
    for weight in net.parameters():
        (others if weight.ndim == 1 else decays).append(weight)
    return [{"params": decays, "weight_decay": 1e-4}, {"params": others, "lr": rate}]


def train(net, loader):
    net.cuda()
    optimizer = torch.optim.SGD(groups(net, 0.1), lr=0.1, fused=True)
    for x, y in loader:
        torch.nn.functional.cross_entropy(net(x.cuda()), y.cuda()).backward()
        optimizer.step()
