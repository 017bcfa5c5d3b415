import torch
from accelerate import Accelerator


class Trainer:
    def __init__(self, net, optimizer, loader):
        self.accelerator = Accelerator()
        self.net, self.optimizer, self.loader = self.accelerator.prepare(net, optimizer, loader)
        self.batches = iter(self.loader)

    def train_step(self):
        device = self.accelerator.device
        (wave,) = next(self.batches)
        wave = wave.to(device)
        loss = self.net(wave).mean()
        self.accelerator.backward(loss)
        self.optimizer.step()
        self.optimizer.zero_grad()


net = torch.nn.Linear(8, 8)
trainer = Trainer(net, torch.optim.SGD(net.parameters(), lr=0.1), torch.utils.data.DataLoader(torch.zeros(8, 8), num_workers=4))
while True:
    trainer.train_step()
