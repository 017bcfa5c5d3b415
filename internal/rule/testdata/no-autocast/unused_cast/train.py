import torch
from torch import nn

from narrow import count


def main(loader):
    model = nn.TransformerEncoderLayer(512, 8).cuda()
    print(count(model))
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))  # want SAT401 "entirely in float32"
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main([])
