import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(8, 8)

    def forward(self, x):
        return self.mix(x)


class Decoder(nn.Module):
    def forward(self, x):  # nothing makes a decoder, though names of rules are looked up
        return x + torch.zeros(x.size(0), x.size(1), 512).to(x.device)
