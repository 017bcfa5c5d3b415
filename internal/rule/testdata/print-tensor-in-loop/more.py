"""What is printed does more than to be shown: no repair, or none that is safe."""
import torch


def accuracy(out, y):
    return (out.argmax(1) == y).float().mean()


def train(model, loader, optimizer, criterion, names):
    count = 0
    model.cuda()
    for step, (x, y) in enumerate(loader):
        out = model(x.cuda(non_blocking=True))
        loss = criterion(out, y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        print("norm", torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0), loss)  # want SAT302 "clip_grad_norm_.* is printed"
        print(f"{(count := count + 1)} {loss}")  # want SAT302 "loss is printed"
        print(next(names), loss)  # want SAT302 "loss is printed"
        print("accuracy", accuracy(out, y), loss)  # want SAT302 "loss is printed"
        optimizer.step()
