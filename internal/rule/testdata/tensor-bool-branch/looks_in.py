"""A test that looks into a tensor, and tests that look into a list or a dict of tensors."""

import torch


def seen(out, labels, names, parts):
    total = out.sum()
    for c in range(4):
        if c in labels:  # want SAT305 "c in labels is decided on the host"
            total = total + out[:, c].mean()
    for name in names:
        if name in parts:
            total = total + parts[name].mean()
    return total


def train(loader):
    model = torch.nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        out = model(x)
        loss = seen(out, y.long(), ["a", "b"], {"a": out, "c": x})
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(64, 8), torch.ones(64)), batch_size=8))
