import torch
import torch.nn.functional as F
from torch import distributions as pyd
from torch import nn


class Squashed(pyd.transformed_distribution.TransformedDistribution):
    def __init__(self, loc, scale):
        self.base_dist = pyd.Normal(loc, scale)  # want SAT324 "pyd.Normal waits for the GPU in every step: it checks"
        super().__init__(self.base_dist, [])


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(8, 8)

    def forward(self, x):
        loc, scale = self.trunk(x).chunk(2, dim=-1)
        kinds = pyd.Categorical(logits=loc)  # want SAT324 "pyd.Categorical"
        counts = torch.bincount(x.argmax(-1))  # told SAT324 "torch.bincount waits"
        return Squashed(loc, scale.exp()), kinds, counts


def train(loader):
    model = Actor().cuda()
    ctc = nn.CTCLoss()
    optimizer = torch.optim.Adam(model.parameters())
    for x, y, frames, letters in loader:
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        frames = frames.cuda(non_blocking=True)
        policy, kinds, counts = model(x)
        out = policy.rsample()
        loss = ctc(out, y, frames, letters) + counts.sum()  # want SAT324 "the lengths on the host"
        classes = F.one_hot(y)  # told SAT324 "F.one_hot waits"
        if torch.equal(out, y):  # told SAT324 "torch.equal"
            continue
        inverse = torch.linalg.inv(out)  # told SAT324 "torch.linalg.inv"
        (loss + classes.sum() + inverse.sum()).backward()
        optimizer.step()
