import torch
from torch.nn.utils import clip_grad_norm_
from torch.optim import Optimizer


class DecayAdam(Optimizer):
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:  # want SAT406 "DecayAdam updates one parameter at a time"
                if p.grad is None:
                    continue
                state = self.state[p]
                clip_grad_norm_(p, 1.0)  # told SAT406 "a norm for each parameter"
                state["m"].mul_(0.9).add_(p.grad, alpha=0.1)
                state["v"].mul_(0.99).addcmul_(p.grad, p.grad, value=0.01)
                p.data.add_(-group["lr"] * state["m"] / (state["v"].sqrt() + 1e-6))


class Together(Optimizer):
    def step(self, closure=None):
        for group in self.param_groups:
            grads = [p.grad for p in group["params"]]
            for p in group["params"]:
                self.state[p]["m"].mul_(0.9).add_(p.grad)
            torch._foreach_add_(group["params"], grads, alpha=-group["lr"])


class ByKernel(Optimizer):
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:  # want SAT406 "ByKernel updates one parameter at a time"
                if p.grad is not None:
                    update(p.data, self.state[p]["m"], p.grad.data, group["lr"])


def train(model, loader, head):
    model.cuda()
    optimizer = DecayAdam(model.parameters(), lr=1e-3)  # told SAT406 "DecayAdam is made here"
    other = Together(model.parameters(), lr=1e-3)
    kernels = ByKernel(model.parameters(), lr=1e-3)  # told SAT406 "ByKernel is made here"
    small = DecayAdam(model.net.head.parameters(), lr=1e-3)
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        other.step()
        kernels.step()
        small.step()
