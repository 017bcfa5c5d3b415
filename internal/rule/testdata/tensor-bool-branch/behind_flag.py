"""Tests behind a flag that is on, and behind conditions that hold now and then."""

import torch
from transformers import Trainer


class Own(Trainer):
    def train(self):
        self.model.train()
        for step, inputs in enumerate(self.get_train_dataloader()):
            loss = self.training_step(self.model, inputs)
            if self.args.nan_filter and not on_tpu() and torch.isnan(loss):  # want SAT305 "torch.isnan.loss."
                continue
            if step % 50 == 0 and loss > 10:
                print("high")
            self.optimizer.step()


def on_tpu():
    return False


class Watch:
    def __init__(self):
        self.epoch = -1

    def __call__(self, epoch, loss):
        if epoch > self.epoch and loss > 3:
            print("new epoch")
            self.epoch = epoch


model = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
watch = Watch()
for epoch in range(3):
    for x in torch.utils.data.DataLoader(torch.rand(64, 8)):
        loss = model(x.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        watch(epoch, loss)
