from dataclasses import dataclass

import torch


@dataclass
class Plan:
    jit: bool = False
    device: str = "cuda"


def main(net, loader):
    plan = Plan()
    net = torch.nn.TransformerEncoderLayer(512, 8).to(plan.device)  # want SAT411 "the switch for it is off"
    if plan.jit:
        net = torch.compile(net)
    opt = torch.optim.AdamW(net.parameters())
    for x in loader:
        net(x.to(plan.device)).sum().backward()
        opt.step()
