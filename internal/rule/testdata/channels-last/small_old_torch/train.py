import argparse

import torch
from nets import build


def main(loader):
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", default="plain")
    args = parser.parse_args()
    net = build(args.kind)
    net = torch.nn.DataParallel(net).cuda()  # want SAT415 "must transpose; this torch computes float32 convolutions without tensor cores"
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        loss = torch.nn.functional.mse_loss(net(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main([])
