from torch.optim import *
from torch.optim.optimizer import Optimizer


class Rectified(Optimizer):
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:  # want SAT406 "Rectified updates one parameter at a time"
                if p.grad is None:
                    continue
                average = self.state[p]["average"]
                average.mul_(0.9).add_(p.grad, alpha=0.1)
                p.data.add_(average, alpha=-group["lr"])


class Unused(Optimizer):
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["average"].mul_(0.9).add_(p.grad, alpha=0.1)
                p.data.add_(self.state[p]["average"], alpha=-group["lr"])
