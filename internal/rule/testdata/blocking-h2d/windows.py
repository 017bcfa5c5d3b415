import numpy as np
import torch


class Windows:
    def __init__(self, path, size, batch, device):
        self.tokens = np.memmap(path, dtype=np.uint16, mode="r")
        self.size, self.batch, self.device = size, batch, device

    def draw(self):
        at = np.random.randint(0, len(self.tokens) - self.size - 1, size=self.batch)
        rows = np.stack([self.tokens[i : i + self.size + 1] for i in at]).astype(np.int64)
        rows = torch.from_numpy(rows)
        return rows[:, :-1].to(self.device), rows[:, 1:].to(self.device)  # want SAT311 "pageable memory"


def train(model, optimizer, folder):
    sources = {name: Windows(f"{folder}/{name}.bin", 1024, 32, "cuda") for name in ("train", "val")}
    model.to("cuda")
    for step in range(10000):
        x, y = sources["train"].draw()
        loss = torch.nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
