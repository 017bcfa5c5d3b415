from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


@dataclass
class Sizes:
    width: int = 512
    layers: int = 8
    recompute: bool = True
    twice: bool = False


class Stack(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.sizes = sizes
        self.layers = nn.ModuleList([nn.TransformerEncoderLayer(sizes.width, 8) for _ in range(sizes.layers)])

    def forward(self, x):
        for layer in self.layers:
            if self.sizes.recompute and self.training:
                x = checkpoint(layer, x, use_reentrant=False)  # want SAT503 "computes the layers twice"
            else:
                x = layer(x)
        if self.sizes.twice:
            x = self.again(x)
        return x

    def again(self, x):
        return checkpoint(self.layers[0], x, use_reentrant=False)


def train(loader):
    model = Stack(Sizes()).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for batch in loader:
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(batch.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
