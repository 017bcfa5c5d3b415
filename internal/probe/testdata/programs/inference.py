"""Inference: no optimizer anywhere, a small module before the large one, worker processes that load."""

import torch
from planted import BATCH, STEPS, Model, Samples, step_over, work
from torch.utils.data import DataLoader

if __name__ == "__main__":
    front, model = torch.nn.Linear(2, 2), Model().eval()
    loader = DataLoader(Samples(), batch_size=BATCH, num_workers=2)
    with torch.inference_mode():
        for batch in loader:
            front(torch.ones(1, 2))
            model(batch["x"])
            step_over()
            work("between")
