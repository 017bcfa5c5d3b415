import torch

from engine import score


class Shown(torch.nn.Module):
    def forward(self, x):
        return x.max().item()  # another program shows it


print(score(Shown(), torch.zeros(4, 4, device="cuda")))
