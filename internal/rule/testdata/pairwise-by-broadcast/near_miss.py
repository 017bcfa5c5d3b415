import torch
from torch import nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        a, b = self.layer(x), self.layer(x)
        same = F.cosine_similarity(a.unsqueeze(1), b.unsqueeze(1), dim=-1)  # pair by pair
        return same + F.cosine_similarity(a, b, dim=-1).sum() + torch.matmul(a.unsqueeze(1), b.unsqueeze(-1)).sum()


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

