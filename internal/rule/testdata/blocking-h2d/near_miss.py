import torch
from accelerate import Accelerator


def train(model, loader, optimizer, criterion, device):
    model.to(device)
    criterion = criterion.cuda()
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.cuda(non_blocking=True)
        model = model.to(device)
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
