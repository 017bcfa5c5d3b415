import torch
from torch import nn


class Trainer(nn.Module):
    """A module only to save its state: nobody moves it."""

    def __init__(self, net, loader, parts):
        super().__init__()
        self.net = net.cuda()
        self.loader = iter(loader)
        self.parts = parts
        self.optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, fused=True)
        self.register_buffer("steps", torch.tensor(0))

    def train_step(self):
        step = int(self.steps.item())  # of the host
        total = 0
        for _ in range(self.parts):
            loss = self.net(next(self.loader).cuda(non_blocking=True)).mean() / self.parts
            loss.backward()
            total = total + loss.detach()
        norm = nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.steps.add_(1)
        return {"step": step, "loss": total.item()}  # want SAT301 "total.item.. waits for the GPU in every step"

    def train(self, last):
        while self.steps < last:
            print(self.train_step())


def whole(net, loader, optimizer):
    for x in loader:
        net(x.cuda(non_blocking=True)).mean().backward()
    optimizer.step()
    return sum(p.grad.norm() for p in net.parameters()).item()  # once an epoch


if __name__ == "__main__":
    loader = torch.utils.data.DataLoader(torch.zeros(8, 8), num_workers=4, pin_memory=True)
    Trainer(nn.Linear(8, 8), loader, 4).train(100)
    net = nn.Linear(8, 8).cuda()
    for epoch in range(3):
        whole(net, loader, torch.optim.SGD(net.parameters(), lr=0.1))
