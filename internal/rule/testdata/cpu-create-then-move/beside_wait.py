import torch


def gather(x):
    """The single number is not what this function waits for."""
    size = torch.zeros(2).to("cuda")
    return size, x.sum().item()


def mask(x):
    size = torch.ones(2).to(x.device)  # want SAT312 "created on the host"
    return x * size.sum()


def train(model, loader, optimizer):
    model.to("cuda")
    for x in loader:
        x = x.cuda(non_blocking=True)
        out = model(mask(x))
        loss = out.mean()
        loss.backward()
        optimizer.step()
        gather(out)
