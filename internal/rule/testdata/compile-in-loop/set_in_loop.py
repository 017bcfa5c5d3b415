"""What is compiled, or what it is assigned to, is set in the loop too: no repair, or none that is safe."""
import torch


class Runner:
    def fit(self, make, loader, optimizer, epochs):
        for epoch in range(epochs):
            self.model = make(epoch)
            self.fast = torch.compile(self.model)  # want SAT412 "compiled repeatedly"
            for x in loader:
                self.fast(x.cuda()).mean().backward()
                optimizer.step()


def kept(make, loader, optimizer, epochs):
    nets = {}
    for epoch in range(epochs):
        nets["now"] = make(epoch)
        fast = torch.compile(nets["now"])  # want SAT412 "compiled repeatedly"
        for x in loader:
            fast(x.cuda()).mean().backward()
            optimizer.step()


def freed(model, loader, optimizer, epochs):
    for epoch in range(epochs):
        fast = torch.compile(model)  # want SAT412 "compiled repeatedly"
        for x in loader:
            fast(x.cuda()).mean().backward()
            optimizer.step()
        fast = None


def scripted(model, loader, optimizer, epochs):
    model.eval()
    for epoch in range(epochs):
        model.train()
        quick = torch.jit.script(model)  # want SAT412 "compiled repeatedly"
        for x in loader:
            quick(x.cuda()).mean().backward()
            optimizer.step()
