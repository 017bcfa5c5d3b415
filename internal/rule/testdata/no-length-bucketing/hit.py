import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def collate(samples):
    inputs = pad_sequence([s[0] for s in samples], batch_first=True)
    return inputs, torch.tensor([s[1] for s in samples])


class Collate:
    def __call__(self, samples):
        return pad_sequence(samples)


def by_hand(samples):
    longest = max(len(s) for s in samples)
    padded = torch.zeros(len(samples), longest)
    for i, s in enumerate(samples):
        padded[i, : len(s)] = s
    return padded


def with_numpy(samples):
    return pad_all([s.numpy() for s in samples])


def pad_all(arrays):
    longest = max(map(len, arrays))
    return np.array([np.pad(a, (0, longest - len(a))) for a in arrays])


def train_by_hand(model, data, optimizer):
    loader = DataLoader(data, batch_size=32, shuffle=True, collate_fn=by_hand)  # want SAT114 "short and long"
    other = DataLoader(data, batch_size=32, shuffle=True, collate_fn=with_numpy)  # want SAT114 "short and long"
    for x, y in zip(loader, other):
        loss = model(x.cuda()).sum()
        loss.backward()
        optimizer.step()


def train(model, data, optimizer):
    loader = DataLoader(data, batch_size=32, shuffle=True, collate_fn=collate)  # want SAT114 "short and long"
    other = DataLoader(data, batch_size=32, shuffle=True, collate_fn=Collate())  # want SAT114 "short and long"
    for x, y in loader:
        loss = model(x.cuda()).sum()
        loss.backward()
        optimizer.step()
    return other


def pad_one(x, length):
    return np.pad(x, (0, length - len(x)))


def by_helper(samples):
    longest = max(len(s) for s in samples)
    return torch.from_numpy(np.stack([pad_one(s, longest) for s in samples]))


def by_list(samples):
    longest = max(len(s) for s in samples)
    return torch.tensor([s + [0] * (longest - len(s)) for s in samples])


class Texts:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, texts):
        return self.tokenizer(texts, padding=True, return_tensors="pt")["input_ids"]


def train_more(model, data, optimizer, tokenizer):
    one = DataLoader(data, batch_size=32, shuffle=True, collate_fn=by_helper)  # want SAT114 "short and long"
    two = DataLoader(data, batch_size=32, shuffle=True, collate_fn=by_list)  # want SAT114 "short and long"
    three = DataLoader(data, batch_size=32, shuffle=True, collate_fn=Texts(tokenizer))  # want SAT114 "short and long"
    for x, y, z in zip(one, two, three):
        loss = model(x.cuda()).sum() + model(y.cuda()).sum() + model(z.cuda()).sum()
        loss.backward()
        optimizer.step()
