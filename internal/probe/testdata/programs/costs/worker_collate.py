"""One worker, started anew instead of forked, whose collate function sorts with a slow key."""

import torch
from hand import clock, spent, tell_now_and_then, timed, train
from torch.utils.data import DataLoader


@timed("function")
def key(word):
    value = 0
    for i in range(6000):
        value = (value * 33 + i) % 65521
    return value


def collate(words):
    began = clock()
    ordered = sorted(words, key=key)
    rows = torch.tensor([[float(len(word))] * 8 for word in ordered])
    total = 0
    for i in range(20_000):
        total += i
    tell_now_and_then()
    spent["part"] += clock() - began
    return rows


if __name__ == "__main__":
    train(DataLoader(["word"] * 100_000, batch_size=8, num_workers=1, collate_fn=collate, multiprocessing_context="spawn"))
