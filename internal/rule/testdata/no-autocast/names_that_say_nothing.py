import torch


def one(a, b, c, d):
    b.train()
    for e, f in a:
        e, f = e.cuda(), f.cuda()
        g = b(e)  # want SAT401 "entirely in float32"
        h = c(g, f)
        d.zero_grad()
        h.backward()
        d.step()


def main(a, which):
    b = which()
    b = torch.nn.DataParallel(b).cuda()
    c = torch.nn.CrossEntropyLoss().cuda()
    d = torch.optim.SGD(b.parameters(), 0.1)
    for i in range(90):
        one(a, b, c, d)
