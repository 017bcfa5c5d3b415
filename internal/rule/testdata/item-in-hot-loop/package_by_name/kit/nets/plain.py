import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        longest = x.abs().max().item()  # want SAT301 "waits for the GPU in every step"
        return self.layer(x) / longest
