import torch
from torch.utils.data import DataLoader, IterableDataset
from transformers import AutoTokenizer


class Packed(IterableDataset):
    """A buffer of texts is tokenized at a time, while the trainer waits."""

    def __init__(self, tokenizer, texts, length):
        self.tokenizer, self.texts, self.length = tokenizer, texts, length

    def __iter__(self):
        source = iter(self.texts)
        while True:
            buffer = []
            while len(buffer) < 1000:
                buffer.append(next(source))
            ids = []
            for one in self.tokenizer(buffer, truncation=False)["input_ids"]:  # want SAT111 "while training waits"
                ids.extend(one)
            for i in range(0, len(ids), self.length):
                yield torch.tensor(ids[i : i + self.length])


class Before(IterableDataset):
    """All texts are tokenized before the first sample is given."""

    def __init__(self, tokenizer, texts, length):
        self.ids = tokenizer(texts)["input_ids"]

    def __iter__(self):
        for one in self.ids:
            yield torch.tensor(one)


class Corpus:
    def __init__(self, path, vocabulary):
        self.lines = open(path)
        self.vocabulary = vocabulary

    def fetch(self, batch):
        return torch.tensor([self.one() for _ in range(batch)])

    def one(self):
        line = self.lines.readline()
        ids = [self.vocabulary[w] for w in line.split()]  # want SAT111 "in every step"
        return ids[:64]


def train(model, texts, words):
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    model.cuda()
    loader = DataLoader(Packed(tokenizer, texts, 512), batch_size=8, num_workers=2, pin_memory=True)
    before = DataLoader(Before(tokenizer, texts, 512), batch_size=8, num_workers=2, pin_memory=True)
    corpus = Corpus("corpus.txt", words)
    for x, y in zip(loader, before):
        z = corpus.fetch(8)
        loss = model(x.cuda(), y.cuda(), z.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
