"""DataParallel moves what its model is given; masks by functions, in a tuple, and counts."""
import torch
from torch import nn
from torch.utils.data import DataLoader


class Loss(nn.Module):
    def forward(self, x, boxes):
        kept = boxes[boxes[:, 4] != -1]  # want SAT306 "boxes"
        return x.mean() + kept.mean()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        self.loss = Loss()

    def forward(self, inputs):
        image, boxes = inputs
        return self.loss(self.body(image), boxes)


def pick(x, scores):
    good = torch.ge(scores, 0.5)
    return x[good, 4]  # want SAT306 "x.good, 4"


def stretch(x, counts):
    same = torch.repeat_interleave(x, 3)
    known = torch.repeat_interleave(x, counts, output_size=40)
    return torch.repeat_interleave(x, counts).sum() + same.sum() + known.sum()  # want SAT306 "repeat_interleave"


def train(data):
    model = nn.DataParallel(Net()).cuda()
    optimizer = torch.optim.SGD(model.parameters())
    for batch in DataLoader(data):
        loss = model([batch["image"].cuda(), batch["boxes"]])
        out = loss * 2
        loss = loss + pick(out, out).sum() + stretch(out, out.long())
        loss.backward()
        optimizer.step()
