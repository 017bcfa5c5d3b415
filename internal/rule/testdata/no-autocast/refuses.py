import torch

criterion = torch.nn.BCELoss()


def train(model, loader, optimizer):
    model.to("cuda")
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())  # want SAT401 "entirely in float32"
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
