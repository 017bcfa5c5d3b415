import torch
from torch.utils.data import DataLoader

torch.manual_seed(0)


def train(model, data, optimizer):
    model.cuda()
    loader = DataLoader(data, batch_size=8, shuffle=True, num_workers=4, pin_memory=True)  # want SAT202 "in every epoch"
    for epoch in range(60):
        for x in loader:
            model(x.cuda(non_blocking=True)).mean().backward()
            optimizer.step()
