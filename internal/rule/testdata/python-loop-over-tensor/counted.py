import torch


@torch.no_grad()
def validate(net, loader, classes):
    net.eval()
    table = torch.zeros(classes, classes, device="cuda")
    for x, y in loader:
        guess = net(x.cuda()).argmax(1)
        for t, g in zip(y.cuda().view(-1), guess.view(-1)):  # want SAT319 "counted up one sample at a time"
            table[t.long(), g.long()] += 1
    net.train()
    return table.diag() / table.sum(1)


def count(names):
    table = {}
    for first, second in zip(names, names[1:]):
        table[first, second] += 1
    return table


def train(net, loader, held, optimizer):
    net.cuda()
    for _ in range(10):
        for x, y in loader:
            torch.nn.functional.cross_entropy(net(x.cuda()), y.cuda()).backward()
            optimizer.step()
        print(validate(net, held, 10))
