import torch
from torch.utils.data import DataLoader


def train(model, data, optimizer, criterion, log):
    model.cuda()
    loader = DataLoader(data, batch_size=64, num_workers=4, pin_memory=True)
    total, seen = 0.0, 0
    for x, y in loader:
        x = x.cuda()  # want SAT311 "just waited for the GPU in line 18"
        y = y.cuda()
        optimizer.zero_grad()
        out = model(x)
        loss = criterion(out, y)
        loss.backward()
        optimizer.step()
        right = (out.argmax(1) == y).sum()
        total += loss.item()
        seen += len(y)
        log.write(f"{total / seen}\n")
        if seen % 10000 == 0:
            torch.save(model.state_dict(), "model.pt")
