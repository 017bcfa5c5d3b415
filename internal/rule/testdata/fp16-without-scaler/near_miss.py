import torch


def train(model, loader, optimizer, criterion, dtype):
    for x, y in loader:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = criterion(model(x.cuda()), y.cuda())
        with torch.autocast("cuda", enabled=False):
            loss = loss.float()
        with torch.autocast("cpu"):
            pass
        with torch.autocast("cuda", dtype=dtype):
            pass
        loss.backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model, loader):
    for x in loader:
        with torch.autocast("cuda"):
            model(x.cuda())
