from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Lines(IterableDataset):
    def __init__(self, path):
        self.path = path

    def __iter__(self):
        for line in open(self.path):
            yield line.strip()


class Held(IterableDataset):
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        info = get_worker_info()
        yield from self.rows[info.id :: info.num_workers]


def load(data):
    return DataLoader(data, batch_size=16, num_workers=4)  # want SAT213 "whole stream"


def endless(make):
    while True:
        yield from make()


def train(model, optimizer):
    held = load(Held([1, 2]))
    for x in endless(lambda: load(Lines("texts.txt"))):
        model(x).sum().backward()
        optimizer.step()
    return held
