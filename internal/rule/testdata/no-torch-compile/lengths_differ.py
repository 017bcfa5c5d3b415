"""Batches that are as long as their longest sample: CUDA graphs would be recorded for each length."""
import torch
from torch import nn
from torch.utils.data import DataLoader


def collate(batch):
    longest = max(x.shape[0] for x, _ in batch)
    xs = torch.zeros(len(batch), longest, 80)
    for i, (x, _) in enumerate(batch):
        xs[i, : x.shape[0]] = x
    return xs, torch.tensor([y for _, y in batch])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(512, 8) for _ in range(12))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x.mean(1)


def main(data):
    loader = DataLoader(data, batch_size=64, shuffle=True, collate_fn=collate)
    model = Net().cuda()  # want SAT411 "the model is not compiled"
    optimizer = torch.optim.AdamW(model.parameters())
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
