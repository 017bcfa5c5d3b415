import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, strides):
        super().__init__()
        self.strides = strides
        self.out = nn.Conv2d(64, 4, 1)

    def grid(self, h, w, stride):
        ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        return (torch.stack([xs, ys], -1).reshape(-1, 2).float() + 0.5) * stride

    def corners(self, h, w):
        ys, xs = torch.arange(h), torch.arange(w)
        return torch.cat([ys, xs])

    def there(self, h, w, x):
        ys, xs = torch.meshgrid(torch.arange(h, device=x.device), torch.arange(w, device=x.device), indexing="ij")
        return torch.stack([xs, ys], -1)

    def forward(self, levels):
        boxes, points = [], []
        for x, s in zip(levels, self.strides):
            boxes.append(self.out(x))
            points.append(self.grid(*x.shape[-2:], s).to(x.device))  # want SAT312 "created on the host"
            points.append(self.corners(*x.shape[-2:]).to(x.device))  # want SAT312 "created on the host"
            points.append(self.there(*x.shape[-2:], x).to(x.device))
        return torch.cat(boxes), torch.cat(points)


def train(loader, strides):
    model = Head(strides).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for levels in loader:
        loss = model([x.cuda(non_blocking=True) for x in levels])[0].mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
