import torch


def score(net, x):
    if net.training:
        out = net(x)
    else:
        with torch.no_grad():
            out = net(x)
    return out.mean()


def evaluate(net, loader):
    net.eval()
    total = 0
    for x in loader:
        total += score(net, x.cuda())
    return total


def main(train, held_out):
    net = torch.nn.Linear(8, 8).cuda()
    update = torch.optim.AdamW(net.parameters(), fused=True)
    for epoch in range(10):
        net.train()
        for x in train:
            loss = score(net, x.cuda())
            loss.backward()
            update.step()
        evaluate(net, held_out)
