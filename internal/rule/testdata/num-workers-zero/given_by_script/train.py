import argparse

import torch
from torch.utils.data import DataLoader


def main(net, data):
    ap = argparse.ArgumentParser()
    ap.add_argument("--readers", type=int, default=0)
    a = ap.parse_args()
    net = net.cuda()
    opt = torch.optim.AdamW(net.parameters())
    for x in DataLoader(data, batch_size=32, shuffle=True, num_workers=a.readers):
        net(x.cuda()).sum().backward()
        opt.step()
