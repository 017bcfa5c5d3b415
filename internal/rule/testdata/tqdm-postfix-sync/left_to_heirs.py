"""A base that trains with what the classes derived from it have set."""
import torch
from torch import nn
from tqdm import tqdm


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.target = None

    def fit(self, loader, optimizer):
        self.cuda()
        bar = tqdm(loader)
        for step, batch in enumerate(bar):
            batch = [t.cuda() for t in batch]
            loss = self.criterion(batch, self.forward(batch)) + self.target(batch[0]).mean()
            loss.backward()
            optimizer.step()
            bar.set_description("loss {:.4f}".format(loss))  # want SAT303 "the progress bar reads loss back"
            bar.set_description("width {}".format(self.width))


class Loss(nn.Module):
    def forward(self, batch, out):
        return (out - batch[1]).abs().mean()


class Small(Base):
    def __init__(self):
        super().__init__()
        self.net, self.criterion, self.width = nn.Linear(8, 8), Loss(), 8
        self.target = nn.Linear(8, 8)

    def forward(self, batch):
        return self.net(batch[0])
