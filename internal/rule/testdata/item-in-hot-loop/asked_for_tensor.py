import torch


class Meters:
    def __init__(self):
        self.sums = {}

    def update(self, **kwargs):
        for k, v in kwargs.items():
            if isinstance(v, torch.Tensor):
                v = v.item()  # want SAT301 "waits for the GPU"
            self.sums[k] = self.sums.get(k, 0) + v

    def count(self):
        return torch.tensor(list(self.sums.values()), dtype=torch.float64).tolist()


def fit(model, criterion, loader, optimizer):
    meters = Meters()
    for x, y in loader:
        parts = criterion(model(x.cuda()), y.cuda())
        scaled = {k: v * 0.5 for k, v in parts.items()}
        total = sum(scaled.values())
        value = total.item()  # want SAT301 "waits for the GPU"
        optimizer.zero_grad()
        sum(parts.values()).backward()
        optimizer.step()
        meters.update(loss=value, **scaled)
