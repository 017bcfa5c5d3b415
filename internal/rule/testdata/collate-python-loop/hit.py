import torch
from torch.utils.data import DataLoader


class TextMelCollate:
    def __call__(self, batch):
        longest = max(len(x[0]) for x in batch)
        text = torch.zeros(len(batch), longest, dtype=torch.long)
        for i in range(len(batch)):  # want SAT125 "nested Python loops"
            for j in range(len(batch[i][0])):
                text[i, j] = batch[i][0][j]
        return text


def collate_fn(samples):
    padded = torch.zeros(len(samples), 80, 1000)
    for i, sample in enumerate(samples):  # want SAT125 "nested Python loops"
        for t, frame in enumerate(sample):
            padded[i, :, t] = frame
    return padded


loader = DataLoader([], collate_fn=TextMelCollate())
