import matplotlib.pyplot as plt
import torch
from torch.utils.data import DataLoader


def draw(values):
    figure, axes = plt.subplots()
    axes.imshow(values)
    return figure


@torch.no_grad()
def validate(net, held, writer, step):
    net.eval()
    for i, x in enumerate(held):
        y = net(x.cuda())
        writer.add_figure(f"{i}", draw(y[0].cpu().numpy()), step)  # want SAT310 "for every batch of the validation set"
    net.train()


@torch.no_grad()
def validate_some(net, held, writer, step):
    net.eval()
    for i, x in enumerate(held):
        y = net(x.cuda())
        if i < 4:
            writer.add_figure(f"{i}", draw(y[0].cpu().numpy()), step)
    net.train()


def train(net, data, held, writer, optimizer):
    net.cuda()
    validation = DataLoader(held, batch_size=1, num_workers=2)
    for step, x in enumerate(DataLoader(data, batch_size=32, num_workers=4)):
        net(x.cuda()).mean().backward()
        optimizer.step()
        if step % 1000 == 0:
            validate(net, validation, writer, step)
            validate_some(net, validation, writer, step)
