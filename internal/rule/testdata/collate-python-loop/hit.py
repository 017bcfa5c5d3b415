import torch
from torch.utils.data import DataLoader


class TextMelCollate:
    def __call__(self, batch):
        longest = max(len(x[0]) for x in batch)
        text = torch.zeros(len(batch), longest, dtype=torch.long)
        for i in range(len(batch)):  # want SAT125 "in a Python loop"
            text[i, : len(batch[i][0])] = batch[i][0]
        return text


def collate_fn(samples):
    padded = torch.zeros(len(samples), 80, 1000)
    for i, sample in enumerate(samples):  # want SAT125 "number by number"
        for t, frame in enumerate(sample):
            padded[i, :, t] = frame
    return padded


loader = DataLoader([], collate_fn=TextMelCollate())
