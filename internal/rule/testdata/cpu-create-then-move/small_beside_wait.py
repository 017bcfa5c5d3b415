import torch


def gather(x):
    """The two numbers are not what this step waits for."""
    size = torch.zeros(2).to("cuda")  # want SAT312 "waits for the GPU anyway"
    return size, x.sum().item()


def mask(x):
    """The wait is in another function of the step."""
    size = torch.ones(2).to(x.device)  # want SAT312 "waits for the GPU anyway"
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
