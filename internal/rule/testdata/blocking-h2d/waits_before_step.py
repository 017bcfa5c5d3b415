from torch.utils.data import DataLoader


def train(model, data, optimizer, criterion):
    model.cuda()
    loader = DataLoader(data, batch_size=64, num_workers=4, pin_memory=True)
    total = 0.0
    for x, y in loader:
        x = x.cuda()  # want SAT311 "waits for the copy and for the previous step"
        loss = criterion(model(x), y.cuda(non_blocking=True))
        total += loss.item()  # the update is queued behind it
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return total
