import torch


class Judge(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.score = torch.nn.Linear(8, 1)

    def forward(self, x):
        return self.score(x)
