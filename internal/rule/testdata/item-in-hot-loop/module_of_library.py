import torch
from mmcv.runner import BaseModule
from torch import nn
from torch.utils.data import DataLoader


class Backbone(BaseModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4096, 4096)

    def forward(self, x):
        y = self.layer(x)
        if self.training is False and y.sum() > 0:
            return y
        return y / y.abs().max().item()  # want SAT301 "waits for the GPU"


model = Backbone().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in DataLoader(torch.load("data.pt"), batch_size=64, pin_memory=True):
    loss = torch.nn.functional.mse_loss(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
