import numpy as np
import torch
from keras.preprocessing.sequence import pad_sequences
from torch.utils.data import DataLoader, Dataset, TensorDataset
from transformers import AutoTokenizer, Trainer, TrainingArguments


class Pairs(Dataset):
    def __init__(self, texts, tokenizer, limit):
        self.rows = []
        for text in texts:
            self.rows.append(tokenizer(text, truncation=True, max_length=limit, padding="max_length", return_tensors="pt"))  # want SAT113 "before training"

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class Encoded(Dataset):
    def __init__(self, encoded, labels):
        self.encoded = encoded
        self.labels = labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {k: torch.tensor(v[i]) for k, v in self.encoded.items()}


def convert(rows, tokenizer, limit):
    features = []
    for text, label in rows:
        ids = tokenizer.convert_tokens_to_ids(tokenizer.tokenize(text)[:limit])
        ids += [0] * (limit - len(ids))  # want SAT113 "before training"
        features.append((ids, label))
    return features


def epoch(model, loader, optimizer):
    for batch in loader:
        loss = model(*[x.cuda(non_blocking=True) for x in batch]).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def pairs(model, texts, optimizer):
    tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")
    epoch(model.cuda(), DataLoader(Pairs(texts, tokenizer, 512), batch_size=32, shuffle=True), optimizer)


def by_hand(model, rows, optimizer):
    features = convert(rows, AutoTokenizer.from_pretrained("bert-base-cased"), 256)
    data = TensorDataset(*[torch.tensor([f[k] for f in features]) for k in range(2)])
    epoch(model.cuda(), DataLoader(data, batch_size=32, shuffle=True), optimizer)


def by_keras(model, rows, optimizer):
    padded = pad_sequences(rows, maxlen=500)  # want SAT113 "before training"
    epoch(model.cuda(), DataLoader(TensorDataset(torch.from_numpy(padded)), batch_size=32, shuffle=True), optimizer)


def by_trainer(model, table):
    tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")
    encoded = tokenizer(table["text"].tolist(), truncation=True, padding=True)
    data = Encoded(encoded, table["label"])
    Trainer(model, TrainingArguments("out"), train_dataset=data).train()  # want SAT113 "every batch is as wide"
