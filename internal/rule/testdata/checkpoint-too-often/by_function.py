import torch


def keep(model, path):
    torch.save(model.state_dict(), path)


def train(model, loader, optimizer):
    model.cuda()
    for step, x in enumerate(loader):
        model(x.cuda()).mean().backward()
        optimizer.step()
        if step % 10 == 0:
            keep(model, "last.pt")  # want SAT708 "keep writes a checkpoint every 10 steps"
        if step % 5000 == 0:
            keep(model, f"{step}.pt")
    keep(model, "end.pt")
