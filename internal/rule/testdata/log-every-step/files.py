import json

import matplotlib.pyplot as plt
import torch
import wandb
from torchvision.utils import save_image


def train(model, loader, optimizer):
    curve = []
    wandb.watch(model, log="all", log_freq=1)  # want SAT310 "histograms of all weights"
    for step, x in enumerate(loader):
        out = model(x.cuda())
        loss = out.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        plt.plot(curve)
        plt.savefig("loss.png")  # want SAT310 "draws and writes a figure in every step"
        write(step)
        if step % 500 == 0:
            save_image(out, f"{step}.png")


def write(step):
    with open("steps.jsonl", "a") as f:  # want SAT310 "opens a file to write in every step"
        f.write(json.dumps({"step": step}) + "\n")


def finished(curve):
    plt.plot(curve)
    plt.savefig("loss.png")
    with open("curve.json", "w") as f:
        json.dump(curve, f)
