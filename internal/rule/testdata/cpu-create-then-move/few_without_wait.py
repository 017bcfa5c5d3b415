import torch


def mask(x):
    size = torch.ones(x.size(0), 1).to(x.device)  # want SAT312 "created on the host"
    return x * size


def train(model, loader, optimizer):
    model.to("cuda")
    for x in loader:
        x = x.cuda(non_blocking=True)
        loss = model(mask(x)).mean()
        loss.backward()
        optimizer.step()


class Rotary(torch.nn.Module):
    """The table is made again only for a longer sequence."""

    def __init__(self, dim):
        super().__init__()
        self.dim, self.table = dim, None

    def build(self, x):
        if self.table is not None and x.shape[0] <= self.table.shape[0]:
            return
        self.table = torch.arange(x.shape[0], dtype=torch.float32).to(x.device)

    def forward(self, x):
        self.build(x)
        return x * self.table[: x.shape[0]]
