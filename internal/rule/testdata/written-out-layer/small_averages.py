import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.InstanceNorm2d(64)

    def forward(self, x):
        means = torch.mean(x, dim=(2, 3))
        m = torch.mean(means, dim=-1, keepdim=True)
        v = torch.var(means, dim=-1, keepdim=True)
        means = (means - m) / torch.sqrt(v + 1e-5)  # want SAT421 "several kernels; it normalizes averages"
        return self.norm(x) + means[..., None, None]


def train(loader):
    model = Norm().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
