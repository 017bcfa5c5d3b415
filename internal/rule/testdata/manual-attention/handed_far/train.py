import torch

from layers import Encoder


def train(loader):
    model = Encoder(6).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
