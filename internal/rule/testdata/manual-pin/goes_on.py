import torch


def get_batch(data):
    """Without pinning, the host would wait in each copy for the forward pass: no repair."""
    x, y = data[:-1], data[1:]
    return x.pin_memory().to("cuda", non_blocking=True), y.pin_memory().to("cuda", non_blocking=True) 


def train(model, data, optimizer, steps):
    x, y = get_batch(data)
    for step in range(steps):
        loss = model(x, y)
        x, y = get_batch(data)
        loss.backward()
        optimizer.step()
