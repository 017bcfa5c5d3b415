"""The same calls with sizes that the host knows."""

import torch
import torch.nn.functional as F


class Cut(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.split = Heads()

    def forward(self, x):
        parts = self.split(x)
        longest = max(p.shape[0] for p in parts)
        widths = [p.size(1) for p in parts]
        steps = torch.arange(max(widths), device=x.device)
        again = torch.reshape(x, (-1, x.size(1)))
        return again + F.pad(steps, (0, again.size(1) - len(steps))).float() + longest


class Heads(torch.nn.Module):
    def forward(self, x):
        return x.chunk(2, dim=0)


model = Cut().cuda()
optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
for x in torch.utils.data.DataLoader(range(64)):
    loss = model(x.cuda()).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
