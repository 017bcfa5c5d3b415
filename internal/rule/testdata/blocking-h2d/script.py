"""A program without functions: what it copies stands at the top level."""
import numpy as np
import torch

device = torch.device("cuda")
seen = np.zeros((1000, 84), dtype=np.float32)
model = torch.nn.Linear(84, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(10000):
    chosen = np.random.randint(0, len(seen), size=32)
    batch = seen[chosen]
    loss = model(torch.as_tensor(batch, device=device)).pow(2).mean()  # want SAT311 "batch is copied from pageable memory"
    loss.backward()
    optimizer.step()
