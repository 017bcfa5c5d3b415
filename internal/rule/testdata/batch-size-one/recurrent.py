import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=10)
args = parser.parse_args()


class Tagger(nn.Module):
    def __init__(self, words, tags):
        super().__init__()
        self.embed = nn.Embedding(words, 100)
        self.lstm = nn.LSTM(100, 200, bidirectional=True, batch_first=True)
        self.out = nn.Linear(400, tags)

    def forward(self, x):
        return self.out(self.lstm(self.embed(x))[0])


class Sentences(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def tag(rows, words, tags):
    model = Tagger(words, tags).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in DataLoader(Sentences(rows), batch_size=args.batch, shuffle=True, num_workers=4, pin_memory=True):  # want SAT211 "the batch size is 10"
        loss = nn.functional.cross_entropy(model(x.cuda(non_blocking=True)).flatten(0, 1), y.cuda(non_blocking=True).flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def sliced(x, y, words, tags):
    model = Tagger(words, tags).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    size = args.batch
    for k in range(len(x) // size + 1):
        start = k * size
        end = (k + 1) * size
        if end > len(x):
            end = len(x)
        batch = x[start:end]  # want SAT211 "the batch size is 10"
        loss = model(torch.tensor(batch, device="cuda")).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def stepped(x, y, words, tags):
    model = Tagger(words, tags).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for i in range(0, len(x), 16):
        loss = model(torch.tensor(x[i : i + 16], device="cuda")).mean()  # want SAT211 "the batch size is 16"
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def large(x, words, tags):
    model = Tagger(words, tags).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for i in range(0, len(x), 256):
        loss = model(torch.tensor(x[i : min(i + 256, len(x))], device="cuda")).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
