import shutil

import torch


def save(model, optimizer, folder, epoch, best):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(state, f"{folder}/latest.pt")
    torch.save(state, f"{folder}/epoch-{epoch}.pt")  # want SAT708 "second file"
    if best:
        torch.save(state, f"{folder}/best.pt")  # now and then


def save_once(model, folder, epoch):
    state = model.state_dict()
    torch.save(state, f"{folder}/latest.pt")
    shutil.copyfile(f"{folder}/latest.pt", f"{folder}/epoch-{epoch}.pt")
    torch.save(model.head.state_dict(), f"{folder}/head.pt")


def train(model, loader, optimizer, folder):
    model.cuda()
    for epoch in range(10):
        for x in loader:
            loss = model(x.cuda(non_blocking=True)).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        save(model, optimizer, folder, epoch, False)
        save_once(model, folder, epoch)
    done = model.state_dict()
    torch.save(done, f"{folder}/final.pt")
    torch.save(done, f"{folder}/export.pt")  # once in a run
