import argparse

from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=4)
args = parser.parse_args()


def one_epoch(model, loader, optimizer):
    for x in loader:
        model(x).sum().backward()
        optimizer.step()


def train(model, data, epochs, optimizer):
    train_loader = DataLoader(data, batch_size=16, num_workers=4)  # want SAT202 "restarted in every epoch"
    other = DataLoader(data, num_workers=args.workers, persistent_workers=False)  # want SAT202 "restarted in every epoch"
    for epoch in range(epochs):
        one_epoch(model, train_loader, optimizer)
        one_epoch(model, other, optimizer)


def by_an_argument_without_default(data, model, optimizer, options):
    loader = DataLoader(data, shuffle=True, num_workers=options.workers)  # want SAT202 "restarted"
    for epoch in range(10):
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            optimizer.step()
