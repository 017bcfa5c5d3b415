import torch
from torch.utils.data import DataLoader


def cycle(loader):
    while True:
        for batch in loader:
            yield batch


class Trainer:
    def __init__(self, model, dataset):
        self.model = model.cuda()
        self.dataset = dataset
        self.optimizer = torch.optim.Adam(model.parameters())
        self.loader = cycle(DataLoader(dataset, batch_size=8, num_workers=4, shuffle=True))

    def train(self):
        for step in range(1000):
            loss = self.model(next(self.loader).cuda()).mean()
            loss.backward()
            self.optimizer.step()

    def show(self):
        loader = cycle(DataLoader(self.dataset, batch_size=8, shuffle=True))
        batch = loader.__next__()
        loader.close()
        return batch

    def size(self):
        batch = next(iter(DataLoader(self.dataset, batch_size=8, shuffle=True)))
        return batch.shape
