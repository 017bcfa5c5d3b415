"""A program that sets a knob of torch which nothing reads."""

import torch

torch.backends.cudnn.workspace_limit = 1 << 30
model = torch.nn.Linear(64, 64)
with torch.no_grad():
    for _ in range(20):
        model(torch.ones(8, 64))
