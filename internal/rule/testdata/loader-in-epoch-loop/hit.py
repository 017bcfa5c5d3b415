from datasets import load_dataset
from torch.utils.data import DataLoader


def train(model, data, epochs, optimizer):
    for epoch in range(epochs):
        loader = DataLoader(data, batch_size=16, shuffle=True)  # want SAT207 "created in every epoch"
        for x in loader:
            model(x).sum().backward()
            optimizer.step()


def stream(model, optimizer, args):
    epoch = 0
    while epoch < args.epochs:
        rows = load_dataset("org/clips", split="train")  # want SAT207 "created in every epoch"
        for x in rows:
            model(x).sum().backward()
            optimizer.step()
        epoch += 1
