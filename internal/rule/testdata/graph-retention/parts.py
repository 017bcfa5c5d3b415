from collections import deque

import torch


class Meter:
    def __init__(self):
        self.sum, self.count = 0, 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n


class Careful:
    def __init__(self):
        self.sum = 0

    def update(self, value):
        self.sum += value.detach()


def train(model, loader, optimizer, criterion):
    logs = {"loss": []}
    window = deque(maxlen=100_000)
    running, everything = None, torch.zeros(0, device="cuda")
    meter, careful, right = Meter(), Careful(), []
    for step, (x, y) in enumerate(loader):
        out = model(x.cuda())
        loss = criterion(out, y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        logs["loss"].append(loss)  # want SAT507 "with their graph"
        window.append((step, loss))  # want SAT507 "with their graph"
        running = loss if running is None else 0.9 * running + 0.1 * loss  # want SAT507 "with their graph"
        everything = torch.cat([everything, loss.view(1)])  # want SAT507 "with their graph"
        meter.update(loss, len(x))  # want SAT507 "with their graph"
        careful.update(loss)
        right.append(out.argmax(1) == y.cuda())
    return logs, window, running, everything, meter.sum / meter.count, right


def one_step(model, x, optimizer):
    loss = model(x.cuda()).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def curve(model, loader, optimizer):
    points = []
    for x in loader:
        loss = one_step(model, x, optimizer)
        points.append(loss)  # want SAT507 "with their graph"
    return points


def acting(model, envs, optimizer):
    for _ in range(1000):
        logs = []
        for x in envs:
            logs.append(model(x.cuda()).log_softmax(-1).mean())
        loss = torch.stack(logs).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
