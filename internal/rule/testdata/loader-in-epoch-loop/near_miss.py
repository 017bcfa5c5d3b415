from torch.utils.data import DataLoader, Subset


def train(model, data, epochs, folds, optimizer):
    loader = DataLoader(data, shuffle=True)
    for epoch in range(epochs):
        part = Subset(data, range(epoch))
        grown = DataLoader(part, batch_size=16)
        longer = DataLoader(data, batch_size=16 + epoch)
        data["train"] = data["train"].shuffle()
        val_loader = DataLoader(folds)
        if epoch == 3:
            loader = DataLoader(folds, batch_size=32)
        for x in loader:
            model(x).sum().backward()
            optimizer.step()
    return grown, longer, val_loader


def cross_validate(model, folds, optimizer):
    for fold in folds:
        loader = DataLoader(fold, batch_size=16)
        for x in loader:
            model(x).sum().backward()
            optimizer.step()
