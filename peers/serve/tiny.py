"""Trains a small network for the seconds that are given, on the GPU where there is one."""
import sys
import time

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
width = 4096 if device == "cuda" else 64
model = torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.ReLU(), torch.nn.Linear(width, width)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
data = torch.randn(512 if device == "cuda" else 8, width)
end = time.time() + float(sys.argv[1])
step = 0
while time.time() < end:
    if step == 1 and device == "cuda":
        held = torch.empty(4 << 30, dtype=torch.uint8, device=device)  # 4 GiB that must show
    x = data.to(device)
    loss = (model(x) - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    step += 1
    time.sleep(0.02)
print(step, "steps")
