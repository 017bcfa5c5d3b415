import torch
import torch._dynamo
from torch import nn

torch._dynamo.config.disable = True  # want SAT411 "switched off"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(1024, 1024)

    @torch.compiler.disable  # want SAT411 "kept from torch.compile"
    def forward(self, x):
        return self.layer(x).relu()


def train(loader):
    model = Net().to("cuda")
    fast = torch.compile(model)  # want SAT411 "training calls model"
    optimizer = torch.optim.AdamW(model.parameters())
    for x, y in loader:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    with torch.no_grad():
        fast(x)
