import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def collate(samples):
    inputs = pad_sequence([s[0] for s in samples], batch_first=True)
    return inputs, torch.tensor([s[1] for s in samples])


class Collate:
    def __call__(self, samples):
        return pad_sequence(samples)


def train(model, data, optimizer):
    loader = DataLoader(data, batch_size=32, shuffle=True, collate_fn=collate)  # want SAT114 "short and long"
    other = DataLoader(data, batch_size=32, shuffle=True, collate_fn=Collate())  # want SAT114 "short and long"
    for x, y in loader:
        loss = model(x.cuda()).sum()
        loss.backward()
        optimizer.step()
    return other
