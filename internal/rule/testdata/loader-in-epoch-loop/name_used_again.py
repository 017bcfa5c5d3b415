from torch.utils.data import DataLoader


def train(model, train_set, val_set, optimizer, epochs):
    for epoch in range(epochs):
        loader = DataLoader(train_set, batch_size=8, shuffle=True)  # want SAT207 "created in every epoch"
        for x in loader:
            model(x).sum().backward()
            optimizer.step()
        loader = DataLoader(val_set, batch_size=8)
        for x in loader:
            print(model(x).sum())
