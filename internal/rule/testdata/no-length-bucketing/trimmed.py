import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, RandomSampler, default_collate


def trim(batch):
    ids, masks, lengths, labels = map(torch.stack, zip(*batch))
    longest = max(lengths).item()
    return ids[:, :longest], masks[:, :longest], labels[:, :longest]


def trim_by_mask(batch):
    ids, masks = default_collate(batch)
    return ids[:, : masks.sum(1).max()], masks[:, : int(masks.sum(1).max())]


def mapped(batch):
    longest = max(len(wave) for wave, _ in batch)

    def fill(sample):
        wave, label = sample
        return np.pad(wave, [0, longest - len(wave)]), label

    return default_collate(list(map(fill, batch)))


def masked(batch):
    waves, mels = zip(*batch)
    lengths = [len(w) for w in waves]
    waves = pad_sequence(waves, batch_first=True)
    masks = [torch.arange(waves.size(1)) >= n for n in lengths]
    return waves, torch.stack(masks), pad_sequence(mels, batch_first=True)


def pictures(batch):
    images, labels = zip(*batch)
    return torch.stack(images), pad_sequence(labels, batch_first=True)


def train(model, data, optimizer):
    model.to("cuda")
    loader = DataLoader(data, batch_size=32, sampler=RandomSampler(data), collate_fn=trim, num_workers=4)  # want SAT114 "padded to the longest"
    for batch in loader:
        model(*batch).backward()
        optimizer.step()


def train_masks(model, data, optimizer):
    model.to("cuda")
    loader = DataLoader(data, batch_size=32, shuffle=True, collate_fn=trim_by_mask, num_workers=4)  # want SAT114 "padded to the longest"
    for batch in loader:
        model(*batch).backward()
        optimizer.step()


def train_waves(model, data, optimizer):
    model.to("cuda")
    for batch in DataLoader(data, batch_size=32, shuffle=True, collate_fn=mapped, num_workers=4):  # want SAT114 "padded to the longest"
        model(*batch).backward()
        optimizer.step()


def train_speech(model, data, optimizer):
    model.to("cuda")
    for batch in DataLoader(data, batch_size=32, shuffle=True, collate_fn=masked, num_workers=4):  # want SAT114 "padded to the longest"
        model(*batch).backward()
        optimizer.step()


def train_pictures(model, data, optimizer):
    model.to("cuda")
    for batch in DataLoader(data, batch_size=32, shuffle=True, collate_fn=pictures, num_workers=4):
        model(*batch).backward()
        optimizer.step()
