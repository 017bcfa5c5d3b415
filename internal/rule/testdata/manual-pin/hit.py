import torch


def get_batch(data):
    x, y = data[:-1], data[1:]
    x, y = x.pin_memory().to("cuda"), y.pin_memory().to("cuda")  # want SAT204 "pins memory"
    return x, y


def train(model, data, optimizer, steps):
    for step in range(steps):
        x, y = get_batch(data)
        extra = torch.ones(3).pin_memory().cuda()  # want SAT204 "pins memory before each copy"
        loss = model(x, y, extra)
        loss.backward()
        optimizer.step()
