import torch
from hardware import configure
from torch import nn

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}


def train(loader, dtype="fp32"):
    device = configure(tf32=False)
    model = nn.Linear(4096, 4096).to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    kind = DTYPES[dtype]
    for x in loader:
        with torch.autocast("cuda", dtype=kind, enabled=kind is not torch.float32):
            loss = model(x.to(device)).mean()
        loss.backward()
        optimizer.step()
