import torch
import yaml
from torch.utils.data import DataLoader

import parts
from parts.registry import HOOKS


class Runner:
    def __init__(self, model, settings):
        self.model = model.cuda()
        self.history = []
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.hooks = [HOOKS.build(h) for h in settings["hooks"]]

    def run(self, data):
        for x, y in DataLoader(data, batch_size=64, pin_memory=True):
            self.loss = torch.nn.functional.mse_loss(self.model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            self.optimizer.zero_grad()
            self.loss.backward()
            self.optimizer.step()
            for hook in self.hooks:
                hook(self)


Runner(torch.nn.Linear(4096, 4096), yaml.safe_load(open("settings.yaml"))).run(torch.load("data.pt"))
