import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(8, 8)
        self.prior = Normal(torch.zeros(8), torch.ones(8))

    def forward(self, x):
        loc, scale = self.trunk(x).chunk(2, dim=-1)
        return Normal(loc, scale.exp(), validate_args=False)


def train(loader):
    model = Actor().cuda()
    ctc = nn.CTCLoss()
    optimizer = torch.optim.Adam(model.parameters())
    for step, (x, y, frames, letters) in enumerate(loader):
        kinds = F.one_hot(letters)
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        out = model(x).rsample()
        loss = ctc(out, y, frames, letters)
        classes = F.one_hot(y, num_classes=10)
        (loss + classes.sum() + len(kinds)).backward()
        optimizer.step()
        if step % 100 == 0:
            print(torch.bincount(out.argmax(-1)))
