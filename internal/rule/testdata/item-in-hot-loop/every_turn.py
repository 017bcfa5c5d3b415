import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--print-freq", type=int, default=1)
args = parser.parse_args()

log_interval = 1
save_interval = 100
growing = 1


def train(model, loader, optimizer):
    global growing
    model.cuda()
    for step, x in enumerate(loader):
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        if step % log_interval == 0:
            log(step, loss.item())  # want SAT301 "waits for the GPU in every step"
        if step % args.print_freq == 0 and step > 0:
            log(step, loss.item())  # told SAT301 "waits"
        if step % save_interval == 0:
            log(step, loss.item())
        if step % log_interval != 0:
            log(step, loss.item())
        if step % growing == 0:
            growing += 1
            log(step, loss.item())
