import torch


class Schedule:
    def __init__(self, steps):
        self.betas = torch.linspace(0, 1, steps)
        self.kernel = torch.ones(steps, steps)

    def scale(self, x):
        return x * self.betas.to(x.device)  # want SAT312 "waits for the GPU anyway"

    def blur(self, x):
        return x @ self.kernel.to(x.device)  # want SAT312 "copied from the host each time$"


def first(x):
    return x * x.max().item()


def second(x):
    return x * x.min().item()


def third(x):
    return x * x.mean().item()


def train(model, loader, optimizer):
    model.to("cuda")
    schedule = Schedule(1000)
    for x in loader:
        x = x.cuda(non_blocking=True)
        size = torch.ones(x.size(0), 1).to(x.device)  # want SAT312 "waits for the GPU anyway"
        out = model(schedule.blur(schedule.scale(third(second(first(x * size))))))
        out.mean().backward()
        optimizer.step()
