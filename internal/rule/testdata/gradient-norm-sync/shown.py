import torch


def norms(model, loader, optimizer, criterion):
    model.cuda()
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item()  # want SAT315 "waits for the gradient norm"
        optimizer.step()
        if step % 50 == 0:
            print("norm", norm)
