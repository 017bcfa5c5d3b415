import torch
from torch import nn


class Warp(nn.Module):
    def forward(self, x, lengths):
        edges = torch.tensor([-2.0, 2.0], device=x.device)  # want SAT312 "[-2.0, 2.0] is computed on the host and copied in every step; a few numbers"
        return x.clamp(edges[0], edges[1])[:, : lengths.max().item()]


def fit(make, batches):
    warp = make("warp").cuda()
    update = torch.optim.AdamW(warp.parameters(), fused=True)
    for x in batches:
        loss = warp(x).mean()
        loss.backward()
        update.step()
