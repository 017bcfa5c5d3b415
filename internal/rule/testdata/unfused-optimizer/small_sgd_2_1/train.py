import torch


def train(model, loader):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # want SAT406 "torch 2.1.2 \(requirements.txt\) has no fused SGD"
    for x in loader:
        model(x.cuda()).sum().backward()
        optimizer.step()
