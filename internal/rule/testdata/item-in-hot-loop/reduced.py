import torch


def train(model, loader, optimizer):
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        out = model(x)
        right = out.argmax(1) == y
        count = max(1, int(right.sum()))  # want SAT301 "waits for the GPU in every step"
        size = int(x.size(0))
        loss = out.sum() / count / size
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
