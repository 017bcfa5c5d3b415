import torch
from torch import nn
from torch.nn import functional as F


def resized(image, wanted):
    side = image.shape[-1]
    if side == wanted:
        return image
    return F.interpolate(image, wanted)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 8, 3)

    def forward(self, x, rescale_logits=False):
        logits = self.layer(x)
        if rescale_logits == False:
            return logits
        return logits / 2


def train(loader, optimizer, sizes):
    model = Net().cuda()
    for x, y in loader:
        x = x.cuda(non_blocking=True)
        loss = model(resized(x, sizes[0])).mean()
        if loss == 0:  # want SAT305 "decided on the host"
            continue
        loss.backward()
        optimizer.step()
