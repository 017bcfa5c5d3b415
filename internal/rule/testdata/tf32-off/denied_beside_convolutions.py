import torch
from torch import nn

torch.backends.cuda.matmul.allow_tf32 = False  # want SAT404 "TF32 is switched off, so float32 matrix products"


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.c1, self.c2 = nn.Conv1d(d, 4 * d, 9, padding=4), nn.Conv1d(4 * d, d, 1)

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
        x = x + self.out((q @ k.transpose(-1, -2)).softmax(-1) @ v)
        return x + self.c2(self.c1(x.transpose(1, 2)).relu()).transpose(1, 2)


def train(loader):
    model = nn.Sequential(*[Block(512) for _ in range(6)]).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
