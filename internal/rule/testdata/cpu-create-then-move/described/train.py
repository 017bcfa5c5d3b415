import torch
import torch.nn as nn
from mmcv import Config
from mmcv.utils import Registry, build_from_cfg
from torch.utils.data import DataLoader

LOSSES = Registry("loss")


@LOSSES.register_module()
class WeightedLoss(nn.Module):
    def __init__(self, class_weight=None, scale=1.0):
        super().__init__()
        self.class_weight = class_weight
        self.scale = scale

    def forward(self, scores, labels):
        weight = None
        if self.class_weight is not None:
            weight = scores.new_tensor(self.class_weight)  # want SAT312 "copied from the host"
        return self.scale * nn.functional.cross_entropy(scores, labels, weight=weight)


def main():
    settings = Config.fromfile("configs/base.py")
    model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)).cuda()
    criterion = build_from_cfg(settings.loss, LOSSES)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for images, labels in DataLoader(torch.load("data"), batch_size=64, num_workers=4):
        loss = criterion(model(images.cuda()), labels.cuda())
        loss.backward()
        optimizer.step()


main()
