import torch
from torch.utils.data import DataLoader


class Fold:
    def __init__(self, tokenizer, limit):
        self.tokenizer, self.limit = tokenizer, limit

    def __call__(self, texts):
        block = torch.full((len(texts), self.limit), 0)  # want SAT113 "padded to a fixed length"
        for n, t in enumerate(texts):
            ids = self.tokenizer.encode(t)[: self.limit]
            block[n, : len(ids)] = torch.tensor(ids)
        return block


class FoldNarrow(Fold):
    def __call__(self, texts):
        ids = [self.tokenizer.encode(t)[: self.limit] for t in texts]
        block = torch.full((len(ids), max(map(len, ids))), 0)
        for n, row in enumerate(ids):
            block[n, : len(row)] = torch.tensor(row)
        return block


def train(model, data, tokenizer, optimizer):
    for fold in (Fold(tokenizer, 256), FoldNarrow(tokenizer, 256)):
        for x in DataLoader(data, 16, shuffle=True, num_workers=2, collate_fn=fold):
            model(x.cuda()).sum().backward()
            optimizer.step()
