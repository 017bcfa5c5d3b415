"""A step with a loop of its own for the parts of a batch is one step of the loop that hands the batch to it."""
import torch
from torch.utils.data import DataLoader


def make_step(model, optimizer, settings):
    def step(x, y):
        optimizer.zero_grad()
        parts = torch.split(x, settings["part"])
        at = 0
        for part in range(settings["parts"]):
            loss = torch.nn.functional.mse_loss(model(parts[at]), y)
            loss.backward()
            at += 1
        optimizer.step()
        return {"loss": loss.item()}  # want SAT301 "loss.item\(\) waits for the GPU in every step"

    return step


def main(data, model, settings):
    model = model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(data, batch_size=8, pin_memory=True)
    step = make_step(model, optimizer, settings)
    for epoch in range(10):
        for x, y in loader:
            x, y = x.to("cuda", non_blocking=True), y.to("cuda", non_blocking=True)
            step(x, y)


def update(model, optimizer, rollouts):
    for k in range(4):
        loss = model(rollouts).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def play(model, optimizer, environment):
    model = model.cuda()
    for round in range(1000):
        update(model, optimizer, environment.run(64))
