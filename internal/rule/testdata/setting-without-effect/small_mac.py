import torch


def train(model, loader, optimizer):
    device = torch.device("cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu")
    if device.type == "mps":
        torch.backends.mps.enable_fallback = True  # want SAT703 "device.type == .mps."
    model.to(device)
    for x in loader:
        optimizer.zero_grad()
        model(x.to(device)).mean().backward()
        optimizer.step()
