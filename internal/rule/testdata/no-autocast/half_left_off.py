import argparse

import torch


def main(net, loader):
    ap = argparse.ArgumentParser()
    ap.add_argument("--half", choices=["none", "bf16"], default="none")
    a = ap.parse_args()
    net = net.to("cuda")
    opt = torch.optim.AdamW(net.parameters())
    for x, y in loader:
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=a.half == "bf16"):
            loss = torch.nn.functional.mse_loss(net(x.to("cuda")), y.to("cuda"))  # want SAT401 "switched off"
        opt.zero_grad()
        loss.backward()
        opt.step()
