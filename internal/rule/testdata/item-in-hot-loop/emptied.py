"""What a loss keeps, it empties again in each step: nothing of it is reused. Another keeps its table."""

import torch


class Weighted(torch.nn.Module):
    def __init__(self, fresh=True):
        super().__init__()
        self.fresh = fresh
        self.weights = None
        self.limit = None

    def clear(self):
        self.weights = None

    def forward(self, errors, lengths):
        if self.weights is None:
            longest = int(lengths.max())  # want SAT301 "int.lengths.max... waits"
            self.weights = torch.arange(longest, device=errors.device) < lengths[:, None]
        if self.limit is None:
            self.limit = float(errors.max())
        loss = (errors[:, : self.weights.size(1)] * self.weights).sum() / self.limit
        if self.fresh:
            self.clear()
        return loss


def train(model, loader):
    model = model.cuda()
    weighted = Weighted()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        x = x.cuda()
        loss = weighted(model(x).abs(), (x > 0).sum(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(torch.nn.Linear(8, 8), torch.utils.data.DataLoader(torch.rand(64, 8)))
