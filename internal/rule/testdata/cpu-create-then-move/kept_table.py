import numpy as np
import torch
from torch import nn


class Anchors(nn.Module):
    def __init__(self):
        super().__init__()
        self.last_shape, self.last = None, {}
        self.head = nn.Linear(4, 4)

    def forward(self, image):
        shape = image.shape[2:]
        if shape == self.last_shape and image.device in self.last:
            return self.last[image.device]
        self.last_shape = shape
        boxes = np.arange(shape[0] * 4, dtype=np.float32).reshape(-1, 4)
        self.last[image.device] = torch.from_numpy(boxes).to(image.device)  # once for each shape
        return self.last[image.device]


def train(loader):
    model = Anchors().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x in loader:
        loss = model.head(model(x.cuda())).sum()
        loss.backward()
        optimizer.step()
