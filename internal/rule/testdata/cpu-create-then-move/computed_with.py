"""Tensors that the host fills and computes with before they are copied."""

import torch


def causal(n, device, on_gpu):
    later = torch.triu(torch.ones(n, n), diagonal=1)
    allowed = (later == 0).unsqueeze(0)
    allowed = allowed.long()
    if on_gpu:
        allowed = allowed.cuda()  # want SAT312 "is created on the host and copied in every step"
    return allowed


def table(n, width, device):
    rows = torch.zeros(n, width)
    where = torch.arange(0.0, n).unsqueeze(1)
    rows[:, 0::2] = torch.sin(where * 0.1)
    rows[:, 1::2] = torch.cos(where * 0.1)
    return rows[None, :].to(device)  # want SAT312 "is created on the host and copied in every step"


def steep(n, device):
    return torch.arange(n).float().masked_fill(torch.arange(n) > 4, 0.0).exp().to(device)  # want SAT312 "created on the host"


def marked(x):
    return (x.cpu() > 0).float().exp().to(x.device)  # of data


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.out = torch.nn.Linear(8, 8)

    def forward(self, x):
        mask = causal(x.size(1), x.device, torch.cuda.is_available())
        x = x + table(x.size(1), x.size(2), x.device) * steep(x.size(2), x.device)
        return (self.out(x) * mask.sum(-1)[..., None]).mean() + marked(x).mean()


def train(loader):
    model = Attention().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        loss = model(x.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(torch.utils.data.DataLoader(torch.rand(64, 10, 8), batch_size=8))
