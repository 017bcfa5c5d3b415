import argparse
import json

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--config", required=True)
args = parser.parse_args()
config = json.load(open(args.config))


def train(loader):
    model = nn.TransformerEncoderLayer(512, 8).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    scaler = torch.amp.GradScaler("cuda", enabled=config["train"]["fp16_run"])
    for x, y in loader:
        with torch.autocast("cuda", enabled=config["train"]["fp16_run"]):  # want SAT401 "by some settings"
            loss = nn.functional.mse_loss(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
