import torch


def gather(x):
    """The two numbers are not what this step waits for."""
    size = torch.zeros(2).to("cuda")
    return size, x.sum().item()


def mask(x):
    table = torch.ones(x.size(1), x.size(2)).to(x.device)  # want SAT312 "created on the host"
    return x * table


def train(model, loader, optimizer):
    model.to("cuda")
    for x in loader:
        x = x.cuda(non_blocking=True)
        out = model(mask(x))
        loss = out.mean()
        loss.backward()
        optimizer.step()
        gather(out)
