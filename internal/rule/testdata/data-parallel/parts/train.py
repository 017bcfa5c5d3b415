import torch

from nets import build


def train(loader):
    nets = build()
    nets.encoder.cuda()
    optimizer = torch.optim.AdamW(nets.encoder.parameters(), fused=True)
    for x in loader:
        loss = nets.encoder(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
