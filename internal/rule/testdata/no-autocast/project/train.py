import torch
import torch.nn.functional as F

from model import Net


def main(loader):
    model = Net().to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for step, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y)  # want SAT401 "entirely in float32"
        loss.backward()
        optimizer.step()
