import torch
from torch.profiler import profile, schedule


def train(model, loader, optimizer):
    with profile(schedule=schedule(wait=1, warmup=1, active=3)) as prof:
        for x in loader:
            model(x.cuda()).mean().backward()
            optimizer.step()
            prof.step()


def handed_on(model, loader, run):
    with profile(schedule=schedule(wait=1, warmup=1, active=3)) as inner:
        run(model, loader, profiler=inner)


class Trainer:
    def __init__(self):
        self.prof = profile(schedule=schedule(wait=1, warmup=1, active=3))

    def fit(self, model, loader, optimizer):
        self.prof.start()
        for x in loader:
            model(x.cuda()).mean().backward()
            optimizer.step()
            self.prof.step()


def few(model, loader, optimizer):
    with profile() as p:
        for i, x in enumerate(loader):
            model(x.cuda()).mean().backward()
            optimizer.step()
            if i > 5:
                break
    return p.key_averages()


def once(model, x):
    with profile() as whole:
        model(x.cuda())
    return whole.key_averages()


def returned(settings):
    made = profile(schedule=schedule(wait=1, warmup=1, active=3))
    return made, settings
