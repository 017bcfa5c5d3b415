"""A loop that trains and needs no name of torch."""


class Fitter:
    def __init__(self, model, data, optimizer, device):
        self.model, self.data, self.optimizer, self.device = model, data, optimizer, device

    def run(self):
        for x in self.data:
            loss = self.model(x.to(self.device, non_blocking=True)).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
