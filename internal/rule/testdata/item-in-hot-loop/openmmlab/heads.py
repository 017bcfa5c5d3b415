import torch.nn as nn
from mmcv.runner import BaseModule
from registries import HEADS, SEGMENTORS


class Head(BaseModule):
    def __init__(self, width):
        super().__init__()
        self.last = nn.Conv2d(width, 19, 1)

    def forward(self, x):
        return self.last(x)

    def forward_train(self, x, labels):
        logits = self(x)
        return self.losses(logits, labels)

    def losses(self, logits, labels):
        loss = nn.functional.cross_entropy(logits, labels)
        share = (logits.argmax(1) == labels).float().mean()
        return {"loss": loss, "share": share.item()}  # want SAT301 "share.item.. waits for the GPU in every step"

    def get_result(self, logits):
        return logits.argmax(1).tolist()


@HEADS.register_module()
class WideHead(Head):
    pass


@SEGMENTORS.register_module()
class Segmentor(nn.Module):
    def __init__(self, head):
        super().__init__()
        self.head = head

    def train_step(self, data, optimizer):
        losses = self.head.forward_train(data["img"], data["labels"])
        return {"loss": losses["loss"], "num_samples": len(data["img"])}
