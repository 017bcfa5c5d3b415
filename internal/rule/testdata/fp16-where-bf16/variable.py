from dataclasses import dataclass

import torch


@dataclass
class Run:
    dtype: str = "float16"  # told SAT402
    other: str = "bfloat16"


run = Run()


def train(net, loader):
    net = net.cuda()
    opt = torch.optim.AdamW(net.parameters())
    ctx = torch.autocast(device_type="cuda", dtype=getattr(torch, run.dtype))  # want SAT402 "float16"
    scaler = torch.amp.GradScaler("cuda")  # told SAT402 "needs no scaler"
    for x in loader:
        with ctx:
            loss = net(x.cuda()).sum()
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()


def train_wide(net, loader):
    net = net.cuda()
    opt = torch.optim.AdamW(net.parameters())
    ctx = torch.autocast(device_type="cuda", dtype=getattr(torch, run.other))
    for x in loader:
        with ctx:
            loss = net(x.cuda()).sum()
        loss.backward()
        opt.step()
        opt.zero_grad()
