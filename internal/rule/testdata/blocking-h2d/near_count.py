"""How many samples a batch has is one number: its copy hardly costs."""
import torch


def train(model, loader, optimizer, device):
    model.to(device)
    for x in loader:
        x = x.to(device, non_blocking=True)
        count = x.shape[0]
        seen = torch.tensor(count, device=device, dtype=torch.float32)
        each = torch.tensor([len(x)], device=device)
        loss = model(x).sum() / seen / each
        loss.backward()
        optimizer.step()
