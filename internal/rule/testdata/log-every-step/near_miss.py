import time

import torch
import wandb
from torch.utils.tensorboard import SummaryWriter


def train(model, loader, optimizer, criterion, epochs):
    writer = SummaryWriter()
    for epoch in range(epochs):
        for step, (x, y) in enumerate(loader):
            start = time.time()
            loss = criterion(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
            wandb.log({"seconds": time.time() - start, "step": step})  # numbers that the host has
            if step % 50 == 0:
                writer.add_scalar("loss", loss, step)
                writer.add_histogram("logits", loss, step)
        writer.add_scalar("epoch loss", loss, epoch)


def evaluate(model, loader, criterion, writer):
    for step, (x, y) in enumerate(loader):
        writer.add_scalar("loss", criterion(model(x.cuda()), y.cuda()), step)


def reinforce(model, rewards, data):
    from trl import GRPOConfig, GRPOTrainer

    args = GRPOConfig("out", logging_steps=1)  # a step generates texts, and takes seconds
    GRPOTrainer(model=model, reward_funcs=rewards, args=args, train_dataset=data).train()
