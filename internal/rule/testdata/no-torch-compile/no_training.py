import torch
from torch import nn

model = nn.Linear(10, 10).to("cuda")
print(model(torch.zeros(10, device="cuda")))
