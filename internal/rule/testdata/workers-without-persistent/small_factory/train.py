from loaders import get_loader, get_train_handed, get_train_kept, get_train_once, get_train_stream


def forever(loader):
    while True:
        for batch in loader:
            yield batch


def train(model, data, optimizer, epochs):
    loader, kept = get_loader(data), get_train_kept(data)
    loader = get_loader(data)
    for epoch in range(epochs):
        for x in loader:
            model(x).sum().backward()
            optimizer.step()
    stream = get_train_stream(data)
    batches = forever(stream)
    for step in range(1000):
        model(next(batches)).sum().backward()
        optimizer.step()
    for x in get_train_once(data):
        print(x)


def main_loop(model, train_loader, dev_loader, optimizer):
    batches = forever(train_loader)
    for step in range(1000):
        model(next(batches)).sum().backward()
        optimizer.step()
    for x in dev_loader:
        print(x)


def main(model, data, optimizer):
    train_loader = get_train_handed(data)
    dev_loader = get_train_once(data)
    main_loop(model, train_loader=train_loader, dev_loader=dev_loader, optimizer=optimizer)
