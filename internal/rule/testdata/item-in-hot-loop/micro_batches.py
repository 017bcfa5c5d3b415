import torch


def train(model, optimizer, batches, steps):
    """One wait after sixteen passes of the model costs nothing."""
    model.to("cuda")
    for step in range(steps):
        for _ in range(16):
            x, y = next(batches)
            loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()) / 16
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(loss.item())


def train_soon(model, optimizer, batches, steps):
    model.to("cuda")
    for step in range(steps):
        for _ in range(2):
            x, y = next(batches)
            loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()) / 2
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(loss.item())  # want SAT301 "waits for the GPU"


def run(model, optimizer, loader, train=True):
    """Evaluation, by the flag that lets gradients be taken."""
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        if train:
            loss.backward()
            optimizer.step()
        if not train and loader:
            print(loss.item())


def main(model, optimizer, loader):
    for epoch in range(10):
        run(model, optimizer, loader)
        run(model, optimizer, loader, train=False)
