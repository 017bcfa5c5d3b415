import torch

from model import Net


def main(loader):
    model = Net().to("cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    for x, y in loader:
        loss = model(x, y)
        loss.backward()
        optimizer.step()
