import torch
from torch import nn


class Captioner(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(512, 1000)

    def forward(self, x):
        return self.head(x)

    def search(self, x, beams):
        return Search(self).run(x, beams)


class Search:
    def __init__(self, net):
        self.net = net

    def run(self, x, beams):
        return self.net(x).topk(beams).indices


def scores_of(net, loader):
    net.eval()
    found = 0
    for x, y in iter(loader):
        with torch.no_grad():
            found += (net.search(x.cuda(), 5) == y.cuda()).any(-1).sum()
    return {"hits": found}


def one_epoch(net, loader, optimizer):
    net.train()
    for x, y in loader:
        loss = nn.functional.cross_entropy(net(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    net = Captioner().cuda()
    optimizer = torch.optim.Adam(net.parameters())
    train, held, final = [], [], []
    best = 0
    for epoch in range(20):
        one_epoch(net, train, optimizer)
        scores = scores_of(net, held)
        hits = scores["hits"]
        scores = scores_of(net, final)  # want SAT707 "final is evaluated in every epoch, too"
        print("final", scores["hits"])
        if hits > best:
            best = hits
            torch.save(net.state_dict(), "best.pt")
    for epoch in range(20):
        one_epoch(net, train, optimizer)
        scores = scores_of(net, held)
        if scores["hits"] > best:
            break
        scores = scores_of(net, final)
        if scores["hits"] > best:
            best = scores["hits"]
            torch.save(net.state_dict(), "best.pt")
