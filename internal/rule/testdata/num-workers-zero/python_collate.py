import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, i):
        return self.rows[i]

    def __len__(self):
        return len(self.rows)


def pieces(text):
    out = []
    for word in text.split():
        out.append(hash(word) % 1000)
    return out


def fold(texts):
    return torch.nn.utils.rnn.pad_sequence([torch.tensor(pieces(t)) for t in texts], batch_first=True)


def stack(rows):
    return torch.stack([torch.as_tensor(r) for r in rows])


def train(model, rows, numbers, optimizer):
    texts = DataLoader(Rows(rows), 16, shuffle=True, collate_fn=fold)  # want SAT201 "in the training process"
    for x in texts:
        model(x.cuda()).sum().backward()
        optimizer.step()
    for x in DataLoader(Rows(numbers), 16, shuffle=True, collate_fn=stack):
        model(x.cuda()).sum().backward()
        optimizer.step()
