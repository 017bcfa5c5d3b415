import torch
from accelerate import Accelerator


def main(model, loader):
    accelerator = Accelerator()  # want SAT702 "float32"
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main(torch.nn.Linear(1000, 1000), [])
