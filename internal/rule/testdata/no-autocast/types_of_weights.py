import torch
from torch import nn


def narrow(model):
    for w in model.parameters():
        w.data = w.data.to(torch.float16)


def main(loader):
    model = nn.TransformerEncoderLayer(512, 8).cuda()
    narrow(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main([])
