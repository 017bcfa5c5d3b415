"""A small training loop, seeded. STEP, DATA and LOSS are what the tests change."""

import argparse
import json
import time

import torch
from torch.utils.data import DataLoader, TensorDataset

STEP = 1.0  # how long a step takes, of its usual time
DATA = 200  # samples of the data set
LOSS = "right"

WAIT = 0.020  # seconds that a device would work on a step while the host waits

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--compute", action="store_true", help="burn processor time instead of waiting")
parser.add_argument("--log", help="write the steps there, one JSON line each")
args = parser.parse_args()

torch.manual_seed(0)
torch.set_num_threads(1)
inputs = torch.randn(DATA, 16)
targets = (inputs[:, :4].sum(1, keepdim=True) > 0).float()
loader = DataLoader(TensorDataset(inputs, targets), batch_size=8, shuffle=True)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = torch.nn.BCEWithLogitsLoss()
square = torch.randn(256, 256)


def device_works(seconds):
    """Stands for the device: the same work each time, or the same wait."""
    if args.compute:
        for _ in range(int(seconds * 2000)):
            square @ square
    else:
        time.sleep(seconds)


log, clock = [], time.perf_counter()
for epoch in range(args.epochs):
    for i, (x, y) in enumerate(loader):
        loss = criterion(model(x), y)
        if LOSS == "broken":
            loss = criterion(model(torch.zeros_like(x)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        device_works(WAIT * STEP)
        now = time.perf_counter()
        tags = ["first-of-epoch"] if i == 0 else []
        log.append({"step": len(log), "s": now - clock, "samples": len(x), "loss": loss.item(), "tags": tags})
        clock = now
if args.log:
    with open(args.log, "w") as f:
        f.writelines(json.dumps(row) + "\n" for row in log)
