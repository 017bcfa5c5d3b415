import torch
from torch.utils.data import DataLoader


def train(model, dataset, optimizer, criterion, args):
    device = torch.device("cuda")
    loader = DataLoader(dataset, pin_memory=True)
    for x, y in loader:
        x, y = x.to(device), y.to(device)  # want SAT311 "x.to.device. waits for the copy"
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()


def train_dict(model, loader, optimizer, args):
    for step, batch in enumerate(loader):
        batch = {k: v.to(args.device) for k, v in batch.items()}  # want SAT311 "waits for the copy"
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()


def train_steps(model, batches, optimizer, steps):
    for step in range(steps):
        batch = next(batches)
        features = batch["features"].cuda()  # want SAT311 "waits for the copy"
        labels = batch["labels"].long().cuda()
        loss = model(features, labels)
        loss.backward()
        optimizer.step()


def train_whole(model, loader, optimizer):
    for batch in loader:
        batch = batch.to("cuda")  # want SAT311 "waits for the copy"
        loss = model(batch)
        loss.backward()
        optimizer.step()


class Engine:
    def __init__(self, model, device):
        self.model, self.device = model, device

    def fit(self, loader, optimizer):
        for x, y in loader:
            x = x.to(self.device)  # want SAT311 "waits for the copy"
            y = y.to(self.device, dtype=torch.long)
            loss = self.model(x, y)
            loss.backward()
            optimizer.step()


class Tuner:
    def __init__(self, model, params):
        self.model, self.params = model, params

    def train_step(self, batch):
        mel = batch["mel"].to(self.params["device"])  # want SAT311 "waits for the copy"
        return self.model(mel, batch["text"].to(self.params["device"]))

    def split(self, batch):
        return batch["a"].to(self.params["device"]), batch["b"].to(self.params["device"])  # want SAT311 "waits for the copy"

    def other_step(self, step, batch):
        return self.model(*self.split(batch))

    def train_epoch(self, loader, optimizer):
        for step, batch in enumerate(loader):
            loss = self.train_step(batch) + self.other_step(step, batch)
            loss.backward()
            optimizer.step()
