import torch
from torch import jit, nn


class Transition(jit.ScriptModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(1024, 1024)

    @jit.script_method
    def forward(self, x):
        return self.layer(x)


def train(loader):
    model = Transition().to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        model(x.cuda()).mean().backward()
        optimizer.step()
