import torch


def read(lp, n):
    lines = []
    for row, k in zip(lp.argmax(-1), n):
        lines.append(row[:k].tolist())  # want SAT301 "for each part of a tensor"
    return lines


def main(net, loader):
    net = net.cuda()
    opt = torch.optim.AdamW(net.parameters())
    for x, n in loader:
        lp = net(x.cuda())
        opt.zero_grad()
        lp.mean().backward()
        opt.step()
        print(read(lp.detach(), n))
