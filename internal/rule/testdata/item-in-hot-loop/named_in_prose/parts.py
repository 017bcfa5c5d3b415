from torch import nn


class Encoder(nn.Module):
    def forward(self, x):
        return x * x.abs().max().item()  # want SAT301 "waits for the GPU in every step"


class Decoder(nn.Module):
    def forward(self, x):
        return x * x.abs().max().item()
