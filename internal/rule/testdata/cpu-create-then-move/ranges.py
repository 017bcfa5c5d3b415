from torch import nn


def train(loader, optimizer):
    model = nn.Linear(8, 8).cuda()
    for x, actions, rows in loader:
        out = model(x.cuda(non_blocking=True))
        chosen = out[range(out.size(0)), actions]  # want SAT312 "range.out.size.0.. is created on the host and copied in every step, to index out"
        chosen.sum().backward()
        optimizer.step()


def train_parts(loader, optimizer):
    model = nn.Linear(8, 8).cuda()
    for x, actions, rows in loader:
        out = model(x.cuda(non_blocking=True))
        for i in range(2):
            out[i].sum().backward()  # a number copies nothing
        optimizer.step()
