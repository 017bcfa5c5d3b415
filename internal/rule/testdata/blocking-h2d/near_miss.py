import torch
from accelerate import Accelerator


def train(model, loader, optimizer, criterion, device):
    model.to(device)
    criterion = criterion.cuda()
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.cuda(non_blocking=True)
        mask = torch.zeros(3, device=device).to(x.device)
        out = model(x).to(torch.float32)
        weight = out.to(y.device)
        loss = criterion(out, y) + mask.sum() + weight.sum()
        loss.backward()
        optimizer.step()


def prepared(model, loader, optimizer):
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        batch = {k: v.to(accelerator.device) for k, v in batch.items()}
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()


def evaluate(model, loader, device):
    for x, y in loader:
        model(x.to(device))


def prepared_elsewhere(model, train_loader, optimizer, device):
    accelerator = Accelerator()
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    for i, batch in enumerate(train_loader):
        batch = [b.to(device) for b in batch[1:]]
        loss = model(batch[0].to(model.device)).loss
        accelerator.backward(loss)
        optimizer.step()


def without_gpu(model, loader, optimizer, criterion, device):
    for x, y in loader:
        if torch.cuda.is_available():
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        else:
            x, y = x.to(device), y.to(device)
        criterion(model(x), y).backward()
        optimizer.step()


def step(model, batch, device):
    return model(batch["x"].to(device)).loss


def moved_before(model, loader, optimizer, device):
    for batch in loader:
        batch = {k: v.to(device, non_blocking=True) for k, v in batch.items()}
        moved = batch["x"].to(device, non_blocking=True)
        step(model, moved, device).backward()
        optimizer.step()
