import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader
from transformers import AutoTokenizer, DataCollatorWithPadding, TrainingArguments


def whisper_collate(samples):
    features = torch.stack([s["input_features"] for s in samples])
    labels = pad_sequence([s["labels"] for s in samples], batch_first=True)
    return features, labels


def pad(samples):
    return pad_sequence(samples)


def train(model, data, sampler, group, optimizer):
    a = DataLoader(data, batch_size=32, shuffle=True, collate_fn=whisper_collate)
    b = DataLoader(data, batch_sampler=sampler, collate_fn=pad)
    c = DataLoader(data, batch_size=32, shuffle=True)
    val_loader = DataLoader(data, batch_size=32, shuffle=True, collate_fn=pad)
    for x in a:
        model(x.cuda()).sum().backward()
        optimizer.step()
    return b, c, val_loader


collator = DataCollatorWithPadding(AutoTokenizer.from_pretrained("bert-base-uncased"))
grouped = TrainingArguments("out", group_by_length=True)
chosen = TrainingArguments("out", train_sampling_strategy="group_by_length")
decided = TrainingArguments("out", group_by_length=False)


def captions(samples):
    """The images have one size; only their labels are padded."""
    images = torch.stack([s[0] for s in samples])
    padded = torch.zeros(len(samples), max(len(s[1]) for s in samples))
    for i, s in enumerate(samples):
        padded[i, : len(s[1])] = s[1]
    return images, padded


def boxes(samples):
    images = torch.from_numpy(np.stack([s[0] for s in samples]))
    padded = torch.ones(len(samples), max(len(s[1]) for s in samples), 5)
    for i, s in enumerate(samples):
        padded[i, : len(s[1])] = s[1]
    return images, padded


def groups(samples):
    """It is given several batches and sorts them by length."""
    order = np.argsort([len(s) for s in samples])
    batches = []
    for chunk in order.reshape(-1, 16):
        batches.append([np.pad(samples[i], (0, 100 - len(samples[i]))) for i in chunk])
    return batches


def train_others(model, data, optimizer):
    train_loader = DataLoader(data, batch_size=32, shuffle=True, collate_fn=captions)
    other_loader = DataLoader(data, batch_size=64, shuffle=True, collate_fn=groups)
    third_loader = DataLoader(data, batch_size=32, shuffle=True, collate_fn=boxes)
    for x, y, z in zip(train_loader, other_loader, third_loader):
        loss = model(x.cuda()).sum()
        loss.backward()
        optimizer.step()


LENGTH = 128


def to_a_setting(samples):
    """All batches have one length; SAT113 is about that."""
    return torch.tensor([s[:LENGTH] + [0] * (LENGTH - len(s)) for s in samples])


def fixed(tokenizer):
    return lambda texts: tokenizer(texts, padding="max_length", return_tensors="pt")["input_ids"]


def train_fixed(model, data, optimizer, tokenizer):
    train_loader = DataLoader(data, batch_size=32, shuffle=True, collate_fn=to_a_setting)
    other_loader = DataLoader(data, batch_size=32, shuffle=True, collate_fn=fixed(tokenizer))
    for x, y in zip(train_loader, other_loader):
        loss = model(x.cuda()).sum() + model(y.cuda()).sum()
        loss.backward()
        optimizer.step()
