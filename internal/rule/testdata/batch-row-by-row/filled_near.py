import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))
        self.scale = np.zeros((len(self.layers), 2))
        for i, layer in enumerate(self.layers):  # once, when the model is made
            self.scale[i, 0] = np.sqrt(layer.in_features)

    def forward(self, x):
        out = torch.zeros(len(self.layers), *x.shape, device=x.device)
        for i, layer in enumerate(self.layers):  # of layers, on the GPU
            x = layer(x)
            out[i] = x
        return out.mean(0)


def train(batches):
    model = Net().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(10000):
        loss = model(torch.randn(64, 8, device="cuda")).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
