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


class PadRows:
    """A turn copies a whole sample, as pad_sequence does."""

    def __call__(self, batch):
        text = torch.zeros(len(batch), max(len(x[0]) for x in batch), dtype=torch.long)
        mel = torch.zeros(len(batch), 80, max(x[1].size(1) for x in batch))
        for i, x in enumerate(batch):
            text[i, : len(x[0])] = torch.LongTensor(x[0])
            mel[i, :, : x[1].size(1)] = x[1]
        return text, mel


rows = DataLoader([], collate_fn=PadRows())
