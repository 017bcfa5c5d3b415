import random

from torch.utils.data import DataLoader, Dataset
from transformers import BertTokenizer


class Words:
    def __init__(self):
        self.inner = BertTokenizer.from_pretrained("bert-base-uncased")

    def __call__(self, text):
        return self.inner(text, return_tensors="pt")  # want SAT111 "one by one"


class Captions(Dataset):
    def __init__(self, rows, words):
        self.rows, self.words = rows, words

    def __getitem__(self, i):
        row = self.rows[i]
        return self.words(row["captions"][random.randrange(len(row["captions"]))])


class Cut:
    def __init__(self):
        self.inner = BertTokenizer.from_pretrained("bert-base-uncased")

    def __call__(self, text):
        return self.inner(text, return_tensors="pt")


class Changed(Dataset):
    def __init__(self, rows, words):
        self.rows, self.words = rows, words

    def __getitem__(self, i):
        return self.words(self.rows[i][: random.randint(1, 9)])


def train(model, rows, optimizer):
    model.cuda()
    for data in (Captions(rows, Words()), Changed(rows, Cut())):
        for x in DataLoader(data, num_workers=4, shuffle=True, pin_memory=True):
            loss = model(**x).loss
            loss.backward()
            optimizer.step()
