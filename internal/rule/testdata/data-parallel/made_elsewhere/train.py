import torch

import networks


def train(loader, options):
    model = networks.make(options).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
