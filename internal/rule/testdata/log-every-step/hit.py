import mlflow
import torch
import wandb
from torch.utils.tensorboard import SummaryWriter


def train(model, loader, optimizer, criterion):
    writer = SummaryWriter()
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        wandb.log({"loss": loss, "step": step})  # want SAT310 "loss is logged in every step"
        writer.add_scalar("loss", loss, step)  # want SAT310 "loss is logged"
        mlflow.log_metric("loss", loss, step=step)  # want SAT310 "loss is logged"
        for name, weight in model.named_parameters():
            writer.add_histogram(name, weight, step)  # want SAT310 "weight is logged in every step"
        writer.flush()  # want SAT310 "writer.flush writes in every step"
