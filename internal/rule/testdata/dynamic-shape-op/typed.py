"""A tensor whose class an annotation tells, in a chain of methods."""

import torch
from torch import Tensor


def scores(out: Tensor, target: Tensor) -> Tensor:
    return out[target.view(-1, 1).repeat(1, out.size(1)) >= 0].mean()  # want SAT306 "depends on GPU values"


model = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(64, 8), torch.ones(64))):
    loss = scores(model(x.cuda()), y.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
