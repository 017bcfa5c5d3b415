import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset
from transformers import AutoTokenizer


def fill(rows, longest=None):
    lengths = [len(r) for r in rows]
    if longest is None:
        most = max(lengths)
    else:
        most = longest
    return [list(r) + [0] * (most - n) if n < most else list(r[:most]) for r, n in zip(rows, lengths)]


class Sessions(Dataset):
    def __init__(self, rows):
        self.rows = np.asarray(fill(rows))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return torch.tensor(self.rows[i])


class Padded(Sessions):
    def __init__(self, rows):
        self.rows = pad_sequence([torch.tensor(r) for r in rows], batch_first=True)


class Texts(Sessions):
    def __init__(self, texts):
        tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
        self.rows = tokenizer(texts, padding=True, truncation=True)["input_ids"]


class Block(Sessions):
    def __init__(self, rows):
        longest = max(len(r) for r in rows)
        self.rows = np.zeros((len(rows), longest), dtype=np.int64)
        for i, r in enumerate(rows):
            self.rows[i, : len(r)] = r
        block = np.zeros((len(rows), longest), dtype=np.int64)
        for i, r in enumerate(rows):
            block[i, : len(r)] = r
        self.rows = block


class Kept(Sessions):
    def __init__(self, rows):
        self.rows = [torch.tensor(r) for r in rows]


def collate(rows):
    longest = max(len(r) for r in rows)
    return torch.stack([torch.cat([r, torch.zeros(longest - len(r))]) for r in rows])


def train(model, rows, optimizer):
    model.cuda()
    a = DataLoader(Sessions(rows), batch_size=64, shuffle=True, num_workers=4, pin_memory=True)  # want SAT113 "every batch is as wide"
    b = DataLoader(Padded(rows), batch_size=64, shuffle=True, num_workers=4, pin_memory=True)  # want SAT113 "every batch is as wide"
    c = DataLoader(Texts(rows), batch_size=64, shuffle=True, num_workers=4, pin_memory=True)  # want SAT113 "every batch is as wide"
    d = DataLoader(Block(rows), batch_size=64, shuffle=True, num_workers=4, pin_memory=True)  # want SAT113 "every batch is as wide"
    e = DataLoader(Kept(rows), batch_size=64, shuffle=True, num_workers=4, pin_memory=True, collate_fn=collate)
    for loader in (a, b, c, d, e):
        for x in loader:
            loss = model(x.cuda(non_blocking=True)).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
