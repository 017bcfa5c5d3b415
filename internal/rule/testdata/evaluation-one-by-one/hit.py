import torch
from torch.utils.data import DataLoader


def validate(model, loader):
    with torch.no_grad():
        for x, y in loader:
            model(x.cuda())


def train(model, data, held, epochs):
    model.cuda()
    optimizer = torch.optim.Adam(model.parameters())
    loader = DataLoader(data, batch_size=32, shuffle=True)
    checks = DataLoader(held, batch_size=1)  # want SAT709 "one sample at a time"
    for epoch in range(epochs):
        for x, y in loader:
            loss = (model(x.cuda()) - y.cuda()).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        for x, y in checks:
            with torch.no_grad():
                model(x.cuda())
