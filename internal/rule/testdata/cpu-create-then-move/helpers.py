import torch
from torch import nn


def draw_times(n, most=1000):
    return torch.randint(0, most, (n,))


def one_or_many(n):
    if n == 1:
        return torch.zeros(1, device="cuda")
    return torch.zeros(n)


def order(x, upwards):
    n = x.size(0)
    if upwards:
        second = torch.arange(n // 2)
        head = torch.arange(n // 2) + n // 2
    else:
        head = torch.arange(n // 2)
        second = torch.arange(n // 2) + n // 2
    return torch.cat([head, second]).to(x.device)  # want SAT312 "torch.arange"


def with_start(x, tokens):
    start = torch.zeros(tokens.shape[0], 1)
    return torch.cat([start, tokens], dim=1).to(x.device)  # the tokens must be copied anyhow


class Pick(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes
        self.rows = None

    def forward(self, out, y, style=None):
        if style is not None:
            out = self.chosen(out, y)
        state = torch.FloatTensor(out.size(0), 8).fill_(0).to(out.device)  # want SAT312 "torch.FloatTensor"
        weight = torch.tensor(1 / self.classes).to(out.device)  # want SAT312 "torch.tensor"
        if self.rows is None:
            self.rows = torch.LongTensor(range(out.size(0))).to(out.device)
        return out * weight + state.sum() + self.rows.sum()

    def chosen(self, out, y):
        rows = torch.LongTensor(range(y.size(0))).to(y.device)  # want SAT312 "range"
        return out[rows, y]


def train(model, pick, loader, optimizer):
    model.cuda()
    pick.cuda()
    for x, y, tokens in loader:
        t = draw_times(x.size(0)).to("cuda")  # want SAT312 "draw_times"
        mix = one_or_many(x.size(0)).to("cuda")
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        perm = order(x, True)
        out = model(x[perm], t, with_start(x, tokens))
        loss = pick(out + mix, y, style=t).sum()
        loss.backward()
        optimizer.step()


train(nn.Linear(2, 2), Pick(3), [], None)
