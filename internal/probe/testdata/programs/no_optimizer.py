"""A loop that updates its parameters itself, without torch.optim, and evaluates after half of its steps."""

import torch
from planted import STEPS, Model

model = Model()
x, labels = torch.ones(4, 8), torch.zeros(4, 1)
for step in range(STEPS):
    model.zero_grad()
    model(x, labels)["loss"].backward()
    with torch.no_grad():
        for p in model.parameters():
            p.add_(p.grad, alpha=-0.01)
        if step == STEPS // 2:
            model(x)
