import torch
from torch.utils.data import DataLoader


class Watch:
    def turns(self, things, often):
        n = 0
        for thing in things:
            yield thing
            n += 1
            if n % often == 0:
                print(n)


def one(model, things, optimizer):
    for x, y in Watch().turns(things, 100):
        loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def two(model, things):
    model.eval()
    with torch.no_grad():
        for x, y in Watch().turns(things, 10):
            print(model(x.cuda()).argmax(1) == y.cuda())


def main(model, images, others):
    model = model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    a = DataLoader(images, batch_size=256, num_workers=8)  # want SAT203 "pageable"
    b = DataLoader(others, batch_size=256, num_workers=8)
    for i in range(90):
        one(model, a, optimizer)
        two(model, b)
