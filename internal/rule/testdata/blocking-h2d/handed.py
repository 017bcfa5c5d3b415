import torch

device = torch.device("cuda")


def nested_map(parts, fn):
    if isinstance(parts, (list, tuple)):
        return [nested_map(p, fn) for p in parts]
    return fn(parts)


def take(data):
    _, feat, text = data
    feat = feat.to(device)  # want SAT311 "waits for the copy"
    return feat, text


def fit(model, optimizer, loader):
    for batch in loader:
        batch = nested_map(batch, lambda x: x.to(device))  # want SAT311 "waits for the copy"
        loss = model(*batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def fit_more(model, optimizer, loader):
    for data in loader:
        feat, text = take(data)
        loss = model(feat, text)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Balanced:
    def __init__(self, loaders):
        self.batches = [iter(loader) for loader in loaders]

    def get_batch(self):
        parts = [next(b) for b in self.batches]
        return torch.cat(parts)


def fit_balanced(model, optimizer, loaders):
    data = Balanced(loaders)
    for _ in range(1000):
        x = data.get_batch()
        loss = model(x.to(device))  # want SAT311 "waits for the copy"
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def fit_drawn(model, optimizer, scales):
    for _ in range(1000):
        drawn = nested_map(scales, lambda x: x.to(device))
        loss = model(drawn)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
