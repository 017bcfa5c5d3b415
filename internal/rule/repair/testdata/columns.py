"""Whole columns are read for one of their values."""
# repairs: SAT122
import json

import torch
from datasets import load_dataset

with open("rows.jsonl", "w") as f:
    for i in range(6):
        f.write(json.dumps({"x": [float(i), 1.0], "y": float(i % 2)}) + "\n")

data = load_dataset("json", data_files="rows.jsonl", split="train")
model = torch.nn.Linear(2, 1)
torch.nn.init.constant_(model.weight, 0.5)
torch.nn.init.constant_(model.bias, 0.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(len(data["x"])):
    loss = (model(torch.tensor(data["x"][i])) - data["y"][i]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss:.4f}", data["y"][-1])
