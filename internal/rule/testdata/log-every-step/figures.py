import matplotlib.pyplot as plt
import torch


class Plots:
    def __init__(self, writer):
        self.writer = writer

    def curve(self, values):
        figure = plt.figure()
        plt.plot(values)
        self.writer.add_figure("curve", figure)


def snapshot(image, step):
    plt.imshow(image)
    plt.savefig(f"{step}.png")


def train(loader, model, optimizer, writer, every=25):
    model.cuda()
    plots = Plots(writer)
    for step, x in enumerate(loader):
        loss = model(x.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % every == 0:
            plots.curve([1, 2, 3])  # want SAT310 "a figure is drawn every 25 steps"
        if (step + 1) % 10 == 0 and step > 100:
            snapshot([[0.0]], step)  # want SAT310 "a figure is drawn every 10 steps"
        if step % 5000 == 0:
            snapshot([[0.0]], step)
    torch.save(model.state_dict(), "last.pt")
