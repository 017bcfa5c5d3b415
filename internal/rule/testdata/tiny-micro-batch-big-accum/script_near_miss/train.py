import argparse

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def main(net, data):
    ap = argparse.ArgumentParser()
    ap.add_argument("--micro", type=int, default=8)
    ap.add_argument("--accum", type=int, default=4)
    a = ap.parse_args()
    acc = Accelerator(mixed_precision="bf16", gradient_accumulation_steps=a.accum)
    train = DataLoader(data, batch_size=a.micro, shuffle=True, num_workers=4)
    opt = torch.optim.AdamW(net.parameters())
    net, opt, train = acc.prepare(net, opt, train)
    for batch in train:
        with acc.accumulate(net):
            acc.backward(net(batch).sum())
            opt.step()
            opt.zero_grad()
