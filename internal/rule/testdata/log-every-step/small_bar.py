import torch
import wandb
from tqdm import tqdm


def main(model, loader, scheduler):
    model = model.cuda()
    wandb.watch(model)  # want SAT310 "W&B hooks into every gradient"
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(10):
        bar = tqdm(loader)
        for step, (x, y) in enumerate(bar):
            loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            bar.set_postfix(lr=scheduler.get_last_lr()[0], epoch=epoch)  # want SAT310 "redraws the progress bar in every step"
            if step % 50 == 0:
                bar.set_description(f"epoch {epoch}")


def quiet(model, loader):
    model = model.cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    bar = tqdm(loader)
    for x, y in bar:
        loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bar.set_postfix(lr=0.1, refresh=False)
