"""A tokenizer in the collate function, in the training process."""

import torch
from hand import asked, tell, timed, train
from torch.utils.data import DataLoader


@timed("function")
def encode(text):
    ids = []
    for word in range(2500):
        ids.append((word * 31 + len(text)) % 251)
    return ids[:8]


def pad(rows):
    total = 0
    for i in range(4000):
        total += i * i
    return torch.tensor(rows, dtype=torch.float32)


def collate(texts):
    return pad([encode(text) for text in texts])


train(asked(DataLoader(["some words"] * 100_000, batch_size=8, collate_fn=collate)))
tell()
