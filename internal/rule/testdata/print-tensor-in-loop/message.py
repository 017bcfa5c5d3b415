"""Texts that a statement makes of tensors, whoever reads them."""

import torch


def summary(step, loss):
    return f"step {step} loss {loss:.3f}"  # want SAT302 "loss is turned into text"


def place(step, x):
    return f"step {step} of {tuple(x.shape)}"


class Journal:
    def __init__(self):
        self.last = ""

    def note(self, epoch, value):
        self.last = "epoch %d: %.4f" % (epoch, value)  # want SAT302 "value is turned into text"


def train(loader, journal, report):
    model = torch.nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        for step, x in enumerate(loader):
            loss = model(x.cuda()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            journal.note(epoch, loss)
            report.append(summary(step, loss) + place(step, x))
            if step % 100 == 0:
                text = f"loss {loss}"
                report.append(text)


train(torch.utils.data.DataLoader(torch.rand(64, 8)), Journal(), [])
