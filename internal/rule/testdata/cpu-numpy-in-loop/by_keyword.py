import torch


def train(model, loader, optimizer):
    model.cuda()
    host = torch.device("cpu")
    kept = []
    for x in loader:
        x = x.cuda(non_blocking=True)
        out = model(x)
        loss = out.mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        kept.append(out.detach().to(device=torch.device("cpu"), dtype=torch.uint8))  # want SAT304 "copies to the host"


def train_here(model, loader, optimizer):
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        small = x.to(dtype=torch.float16).to("cpu")  # what the loader gave is there already
