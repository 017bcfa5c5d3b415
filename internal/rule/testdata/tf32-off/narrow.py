import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader

from data import Sessions

parser = argparse.ArgumentParser()
parser.add_argument("--hidden", type=int, default=100)
args = parser.parse_args()


class Recommender(nn.Module):  # one side of each product is short
    def __init__(self, items):
        super().__init__()
        self.gru = nn.GRU(items, args.hidden)
        self.head = nn.Linear(args.hidden, items)

    def forward(self, x, state):
        out, state = self.gru(x, state)
        return self.head(out), state


model = Recommender(40_000).to("cuda")
optimizer = torch.optim.Adagrad(model.parameters())
loader = DataLoader(Sessions(), batch_size=50, num_workers=2)
for x, y in loader:
    optimizer.zero_grad()
    out, _ = model(x.to("cuda"), None)
    nn.functional.cross_entropy(out.flatten(0, 1), y.to("cuda").flatten()).backward()
    optimizer.step()
