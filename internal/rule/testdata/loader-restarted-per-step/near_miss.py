from torch.utils.data import DataLoader


def train(model, data, steps, optimizer):
    loader = DataLoader(data, num_workers=4)
    sample = next(iter(loader))
    print(sample.shape)
    batches = iter(loader)
    for step in range(steps):
        x = next(batches)
        key = next(iter({"a": 1}))
        if step % 100 == 0:
            show(next(iter(loader)))
        model(x, key).sum().backward()
        optimizer.step()


def show(batch):
    print(batch)


def show_gradients(model, data):
    batch = next(iter(DataLoader(data)))
    loss = model(batch).sum()
    loss.backward()


for activation in ("relu", "tanh"):
    show_gradients(activation, [])
