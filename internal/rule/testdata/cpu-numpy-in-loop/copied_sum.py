import torch
from torch import nn


def train(loader, every):
    model = nn.Linear(512, 10).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    correct, seen, total, wrong = 0, 0, 0.0, 0
    for step, (x, y) in enumerate(loader):
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        out = model(x)
        loss = nn.functional.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        pred = out.max(1)[1]
        correct += pred.eq(y).cpu().sum()  # want SAT304 "copies to the host"
        wrong += (pred != y).sum().cpu().item()  # want SAT304 "copies to the host"
        total += loss.detach().mean().cpu().numpy()  # want SAT304 "copies to the host"
        seen += len(x)
        if step % every == 0:
            print("{:.4f} {:.2f} {}".format(total / every, 100.0 * correct / seen, wrong))
            correct, seen, total, wrong = 0, 0, 0.0, 0
