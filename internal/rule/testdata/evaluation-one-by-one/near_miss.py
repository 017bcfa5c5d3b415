import torch
from torch.utils.data import DataLoader


def train(model, data, held, epochs, batch_size=1):
    model.cuda()
    optimizer = torch.optim.Adam(model.parameters())
    loader = DataLoader(data, batch_size=1, shuffle=True)  # training: another rule
    checks = DataLoader(held, batch_size=batch_size)  # as large as that of training
    other = DataLoader(held, batch_size=64)
    for epoch in range(epochs):
        for x, y in loader:
            loss = (model(x.cuda()) - y.cuda()).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        for x, y in checks:
            with torch.no_grad():
                model(x.cuda())
        for x, y in other:
            with torch.no_grad():
                model(x.cuda())
