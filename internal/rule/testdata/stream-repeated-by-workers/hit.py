from torch.utils.data import DataLoader, IterableDataset


class Lines(IterableDataset):
    def __init__(self, path):
        self.path = path

    def __iter__(self):
        for line in open(self.path):
            yield line.strip()


def train(model, optimizer):
    loader = DataLoader(Lines("texts.txt"), batch_size=16, num_workers=4)  # want SAT213 "whole stream"
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
