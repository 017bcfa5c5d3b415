import torch
import yaml
from torch import nn

cfg = yaml.safe_load(open("config.yaml"))
torch.backends.cuda.matmul.allow_tf32 = cfg["tf32"]  # want SAT404 "TF32 is switched off"


def train(loader):
    model = nn.Linear(4096, 4096).to("cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        model(x).mean().backward()
        optimizer.step()
