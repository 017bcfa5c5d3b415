from torch.utils.data import DataLoader


def fit(model, optimizer, dataset):
    loader = DataLoader(dataset, batch_size=16, pin_memory=True)
    for x, y in loader:
        loss = model(x.cuda(non_blocking=True), y.cuda(non_blocking=True))
        loss.backward()
        optimizer.step()
