import torch


class Made(torch.nn.Module):
    def __init__(self, width=1024):
        super().__init__()
        self.layer = torch.nn.Linear(width, width)

    def forward(self, x):
        y = self.layer(x)
        return y / y.abs().max().item()  # want SAT301 "waits for the GPU"
