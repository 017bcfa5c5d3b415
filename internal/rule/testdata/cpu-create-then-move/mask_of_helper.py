import torch
from torch import nn


def causal_mask(shape, dtype):
    rows, length = shape
    mask = torch.full((length, length), float("-inf"))
    at = torch.arange(mask.size(-1))
    mask.masked_fill_(at < (at + 1).view(mask.size(-1), 1), 0)
    mask = mask.to(dtype)
    return mask[None, None, :, :].expand(rows, 1, length, length)


def moved_mask(shape, other):
    return torch.ones(shape).to(other)  # want SAT312 "torch.ones.shape. is created on the host"


class Decoder(nn.Module):
    def forward(self, x):
        mask = causal_mask(x.shape[:2], x.dtype).to(x.device)  # want SAT312 "is created on the host and copied in every step"
        again = moved_mask(x.shape[:2], x).to(x.device)  # where x is
        return x.mean() + mask.sum() + again.sum()


model = Decoder().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in loader:
    loss = model(x.cuda(non_blocking=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
