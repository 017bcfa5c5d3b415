import matplotlib.pyplot as plt
import torch


def draw(losses, every=10):
    if len(losses) % every:
        return
    plt.figure()
    plt.plot([float(x) for x in losses])


def draw_rarely(losses, every=1000):
    if len(losses) % every:
        return
    plt.figure()
    plt.plot([float(x) for x in losses])


def train(net, loader, optimizer):
    net.cuda()
    losses = []
    for x in loader:
        loss = net(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
        draw(losses)  # want SAT310 "a figure is drawn every 10 steps"
        draw_rarely(losses)
