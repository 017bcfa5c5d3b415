import torch
from apex import amp
from apex.parallel import DistributedDataParallel
from torch import nn


class Trainer:
    def __init__(self, config):
        self.config = config

    def run(self):
        model = nn.Sequential(nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 4096)).cuda()
        optimizer = torch.optim.AdamW(model.parameters())
        if self.config.mixed:
            model, optimizer = amp.initialize(model, optimizer, opt_level="O2")
        model = DistributedDataParallel(model)
        for step in range(self.config.steps):
            x = torch.randn(64, 4096, device="cuda")
            loss = model(x).mean()  # want SAT401 "mixed precision is switched off"
            if self.config.mixed:
                with amp.scale_loss(loss, optimizer) as scaled:
                    scaled.backward()
            else:
                loss.backward()
            optimizer.step()
            optimizer.zero_grad()
