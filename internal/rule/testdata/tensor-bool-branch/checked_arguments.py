import torch
from torch import nn


class CRF(nn.Module):
    def __init__(self, n, batch_first=False):
        super().__init__()
        self.batch_first = batch_first
        self.start = nn.Parameter(torch.zeros(n))

    def forward(self, emissions, tags, mask):
        self._validate(emissions, mask)
        return (emissions * mask).sum() + self.start[tags].sum()

    def _validate(self, emissions, mask):
        if mask is not None:
            if emissions.shape[:2] != mask.shape:
                raise ValueError("shapes differ")
            first = not self.batch_first and mask[0].all()
            first_of_batch = self.batch_first and mask[:, 0].all()  # want SAT305 "mask.:, 0..all.. is decided on the host"
            if not first and not first_of_batch:
                raise ValueError("the mask of the first step must be on")


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(8, 8)
        self.crf = CRF(8, batch_first=True)

    def forward(self, x, tags, mask):
        return -self.crf(self.net(x), tags, mask)


model = Tagger().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, tags, mask in loader:
    x, tags, mask = x.cuda(non_blocking=True), tags.cuda(non_blocking=True), mask.cuda(non_blocking=True)
    loss = model(x, tags, mask)
    loss.backward()
    optimizer.step()
