import torch


class Meters:
    def __init__(self):
        self.sums = {}

    def update(self, **kwargs):
        for k, v in kwargs.items():
            if isinstance(v, torch.Tensor):
                v = v.item()  # each step passes numbers
            self.sums[k] = self.sums.get(k, 0) + v


def train(model, loader, optimizer, save_every):
    model.cuda()
    meters, last_save = Meters(), 0
    for step, x in enumerate(loader):
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        meters.update(rate=optimizer.param_groups[0]["lr"])
        if save_every and step - last_save >= save_every:
            print(loss.item())
            last_save = step
