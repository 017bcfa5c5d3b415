import random

import torch
from torch.utils.data import DataLoader, Dataset
from transformers import AutoTokenizer


class Answers(Dataset):
    def __init__(self, texts):
        self.tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
        self.texts = texts

    def __getitem__(self, i):
        text = random.choice(self.texts[i])
        return self.tokenizer(text, return_tensors="pt")  # want SAT111 "one by one"


class Changed(Answers):
    def __getitem__(self, i):
        text = self.texts[i][: random.randint(1, 9)]
        return self.tokenizer(text, return_tensors="pt")


def train(model, texts, optimizer):
    model.cuda()
    for data in (Answers(texts), Changed(texts)):
        for x in DataLoader(data, num_workers=4, shuffle=True, pin_memory=True):
            loss = model(**x).loss
            loss.backward()
            optimizer.step()
