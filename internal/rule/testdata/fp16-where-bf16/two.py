import torch
from torch.amp import GradScaler, autocast

HALF = torch.float16


def train(generator, discriminator, loader, first, second, criterion):
    scaler = GradScaler("cuda")
    for x in loader:
        with autocast("cuda", dtype=torch.float16):  # want SAT402 "no loss scaling"
            made = generator(x.cuda())
            loss = criterion(made)
        scaler.scale(loss).backward()
        scaler.step(first)
        with autocast("cuda", dtype=HALF):
            other = discriminator(made.detach()).mean()
        scaler.scale(other).backward()
        scaler.step(second)
        with torch.autocast("cuda", HALF):
            third = discriminator(made.detach()).mean()
        scaler.scale(third).backward()
        scaler.step(second)
        scaler.update()
