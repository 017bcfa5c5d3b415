from collections import OrderedDict

import torch
from torch.autograd import Variable


def put(x):
    x = x.contiguous()
    if torch.cuda.is_available():
        x = x.cuda(non_blocking=True)
    return Variable(x)


def report(parts):
    shown = OrderedDict()
    for name, part in parts.items():
        shown[name] = part.mean().item()  # want SAT301 "waits for the GPU"
    return shown


def penalty(critic, x):
    slope = torch.autograd.grad(outputs=critic(x).sum(), inputs=x, create_graph=True)[0]
    return ((slope.norm(dim=1) - 1) ** 2).mean()


def blend(old, new):
    total = old + new
    if isinstance(new, torch.Tensor):
        total += (total == 0).float()
    elif isinstance(new, int):
        if total == 0:
            return 0
    return total


def fit(model, critic, loader, optimizer):
    model.cuda()
    seen = 0
    for batch in loader:
        x, lengths = map(lambda t: t.to("cuda"), batch)
        longest = lengths.max().item()  # want SAT301 "waits for the GPU"
        parts = {}
        parts["fit"] = model(x[:, :longest])
        parts["penalty"] = penalty(critic, x)
        parts["epochs"] = 3
        rounds = float(parts["epochs"])
        (parts["fit"].sum() + parts["penalty"]).backward()
        optimizer.step()
        shown = report(parts)
        seen = blend(seen, len(x))
    return shown, rounds, seen


def fit_words(model, loader, optimizer):
    model.cuda()
    for words, count in loader:
        words = put(words).long()
        count = put(count)
        loss = model(words)
        loss.backward()
        optimizer.step()
        print(torch.max(count).item())  # want SAT301 "waits for the GPU"
