import torch
from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter()


def train(net, loader, optimizer, epoch):
    for x in loader:
        loss = net(x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    for name, param in net.named_parameters():
        writer.add_histogram(name, param, epoch)  # want SAT310 "every parameter"


def train_at_times(net, loader, optimizer, epoch):
    for x in loader:
        loss = net(x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    if epoch % 10 == 0:
        for name, param in net.named_parameters():
            writer.add_histogram(name, param, epoch)


def main(net, loader, optimizer):
    net.cuda()
    for epoch in range(200):
        train(net, loader, optimizer, epoch)
        train_at_times(net, loader, optimizer, epoch)
    for name, param in net.named_parameters():
        writer.add_histogram(name, param, 0)  # once
