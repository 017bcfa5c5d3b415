import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def collate_fn(samples):
    batch = {}
    for key in ("text", "mel"):
        batch[key] = pad_sequence([s[key] for s in samples], batch_first=True)
    lengths = torch.zeros(len(samples))
    for i, s in enumerate(samples):
        lengths[i] = len(s)
    return batch, lengths


def fill(samples):
    out = torch.zeros(len(samples), 10)
    for i, s in enumerate(samples):
        out[i, : len(s)] = s
    return out


loader = DataLoader([], collate_fn=collate_fn)

KEYS = ("image", "video")


def collate_kinds(samples):
    present = torch.zeros(len(samples), 2)
    for i, s in enumerate(samples):
        for k, key in enumerate(KEYS):
            present[i, k] = key in s
    return present
