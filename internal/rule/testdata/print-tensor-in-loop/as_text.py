"""Texts made of tensors, whoever shows them, and meters that hold what they are given."""
import torch
from progress.bar import Bar


class Meter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.sum = 0
        self.count = 0
        self.avg = 0

    def update(self, value, n=1):
        self.sum += value.detach() * n
        self.count += n
        self.avg = self.sum / self.count


class Reading:
    def __init__(self):
        self.avg, self.sum, self.count = 0, 0, 0

    def update(self, value, n=1):
        if isinstance(value, torch.Tensor):
            value = value.item()
        self.sum += value * n
        self.count += n
        self.avg = self.sum / self.count


def train(model, loader, optimizer, criterion, out, names):
    model.cuda()
    losses, times, read = Meter(), Meter(), Reading()
    bar = Bar("train", max=len(loader))
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.update(loss, x.size(0))
        times.update(torch.tensor(0.5))
        read.update(loss)
        bar.suffix = "{step} loss {loss:.4f}".format(step=step, loss=losses.avg)  # want SAT302 "losses.avg is turned into text in every step"
        out.write(f"{step} {loss}")  # want SAT302 "loss is turned into text"
        message = "loss %.4f" % loss  # want SAT302 "loss is printed in every step"
        print(message)
        names.append("{} {}".format(step, tuple(x.shape)))
        print(f"{read.avg} {times.avg}")
        bar.next()
