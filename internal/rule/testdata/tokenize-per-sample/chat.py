import random

import torch
from torch.utils.data import DataLoader, Dataset
from transformers import AutoTokenizer


class Chats(Dataset):
    def __init__(self, rows, name):
        self.rows = rows
        self.tokenizer = AutoTokenizer.from_pretrained(name)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        messages = [{"role": "user", "content": self.rows[i]["q"]}, {"role": "assistant", "content": self.rows[i]["a"]}]
        return torch.tensor(self.ids(messages))

    def ids(self, messages):
        ids = self.tokenizer.apply_chat_template(messages, add_special_tokens=False)  # want SAT111 "one by one"
        for message in messages:
            ids += self.tokenizer.apply_chat_template([message], tokenize=True)
        return ids


class Shown(Dataset):
    def __init__(self, rows, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.texts = [self.tokenizer.apply_chat_template(r, tokenize=False) for r in rows]

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        return self.tokenizer.apply_chat_template(self.texts[i], tokenize=False)  # only text


class Others(Dataset):
    def __init__(self, texts, pairs, name):
        self.texts, self.pairs = texts, pairs
        self.tokenizer = AutoTokenizer.from_pretrained(name)

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, i):
        other = random.randint(0, len(self.pairs) - 1)
        image, caption = self.pairs[other]
        text = self.texts[image][caption]
        return self.tokenizer(text, return_tensors="pt")  # want SAT111 "one by one"


def train(model, rows, texts, pairs, name, optimizer):
    model.cuda()
    for data in (Chats(rows, name), Shown(rows, name), Others(texts, pairs, name)):
        for x in DataLoader(data, num_workers=4, shuffle=True, pin_memory=True):
            loss = model(**x).loss
            loss.backward()
            optimizer.step()
