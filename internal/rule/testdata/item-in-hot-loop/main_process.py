import torch


def train(model, loader, optimizer, writer, rank, accumulation_steps):
    model.cuda()
    for step, x in enumerate(loader):
        loss = model(x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        if rank == 0:
            writer.add_scalar("loss", loss.item(), step)  # want SAT301 "loss.item.. waits"
        if (step + 1) % accumulation_steps == 0:
            writer.add_scalar("again", loss.item(), step)  # told SAT301 "waits"
        if rank == 0 and step % 100 == 0:
            writer.add_scalar("seldom", loss.item(), step)
