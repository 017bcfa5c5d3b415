"""Each step runs one model under autocast, and others outside it."""
from contextlib import nullcontext

import timm
import torch
from torch import nn


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(32000, 512)
        self.body = nn.TransformerEncoder(nn.TransformerEncoderLayer(512, 8), 6)
        self.head = nn.Linear(512, 32000)

    def forward(self, ids):
        return self.head(self.body(self.table(ids)))


def log_probs(net, ids):
    return net(ids).log_softmax(-1)


class Preferences:
    """The function that computes runs the policy under autocast, and what it is compared with outside."""

    def __init__(self, half):
        self.policy = Scorer().cuda()
        self.anchor = Scorer().cuda().eval()
        self.optimizer = torch.optim.AdamW(self.policy.parameters(), fused=True)
        self.half = torch.autocast("cuda", dtype=torch.bfloat16) if half else nullcontext()

    def fit(self, loader):
        for ids in loader:
            ids = ids.cuda(non_blocking=True)
            with self.half:
                new = log_probs(self.policy, ids)
            with torch.no_grad():
                old = log_probs(self.anchor, ids)  # want SAT401 "self.anchor runs in float32"
            loss = (new - old).mean()
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()


def pick(fast):
    return torch.autocast("cuda", dtype=torch.bfloat16) if fast else nullcontext()


def imitate(loader, fast):
    student = timm.create_model("vit_small_patch16_224").cuda()
    teacher = timm.create_model("vit_large_patch16_224", pretrained=True).cuda().eval()
    optimizer = torch.optim.AdamW(student.parameters(), fused=True)
    for x in loader:
        x = x.cuda(non_blocking=True)
        with torch.inference_mode():
            wanted = teacher(x)  # want SAT401 "teacher runs in float32"
        with pick(fast):
            loss = nn.functional.mse_loss(student(x), wanted)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
