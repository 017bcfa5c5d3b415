"""Lengths that go to the GPU and that the loss needs on the host: they stay there."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(80, 30)

    def forward(self, x, lengths):
        lengths = (lengths + 3) // 4
        seen = torch.arange(x.size(1), device=x.device) < lengths[:, None]
        return self.layer(x * seen[..., None]).log_softmax(-1), lengths


class Where(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(80, 30)

    def forward(self, x, lengths):
        seen = torch.arange(x.size(1), device=lengths.device) < lengths[:, None]  # which asks where they are
        return self.layer(x * seen[..., None]).log_softmax(-1), lengths


def train(data):
    device = torch.device("cuda")
    model = Encoder().to(device)
    ctc = nn.CTCLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(data, batch_size=8, pin_memory=True)
    for x, lengths, targets, target_lengths in loader:
        out, out_lengths = model(x.to(device, non_blocking=True), lengths.to(device, non_blocking=True))
        loss = ctc(out.transpose(0, 1), targets.to(device, non_blocking=True), out_lengths, target_lengths)  # want SAT324 "needs the lengths on the host"
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train_where(data):
    device = torch.device("cuda")
    model = Where().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(data, batch_size=8, pin_memory=True)
    for x, lengths, targets, target_lengths in loader:
        out, out_lengths = model(x.to(device, non_blocking=True), lengths.to(device, non_blocking=True))
        loss = F.ctc_loss(out.transpose(0, 1), targets.to(device, non_blocking=True), out_lengths, target_lengths)  # want SAT324 "needs the lengths on the host"
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
