import nltk
import torch
from torch.utils.data import DataLoader, Dataset

symbols = list("abcdefghijklmnopqrstuvwxyz ")
_ids = {s: i for i, s in enumerate(symbols)}
classes = {"cat": 0, "dog": 1}


def clean(text):
    return text.lower().strip()


def to_sequence(text):
    return [_ids[s] for s in clean(text)]  # want SAT111 "splits each text"


class Speech(Dataset):
    def __init__(self, lines):
        self.lines = lines

    def __getitem__(self, i):
        path, text = self.lines[i].split("|")
        return path, torch.tensor(self.ids(text))

    def ids(self, text):
        return to_sequence(text)


class Captions(Dataset):
    def __init__(self, texts, vocab):
        self.texts, self.vocab = texts, vocab

    def __getitem__(self, i):
        words = nltk.tokenize.word_tokenize(self.texts[i])  # want SAT111 "splits each text"
        return [self.vocab[w] for w in words]


class Lines(Dataset):
    def __init__(self, texts, vocab):
        self.texts, self.vocab = texts, vocab

    def __getitem__(self, i):
        ids = []
        for word in self.texts[i].split():  # want SAT111 "splits each text"
            ids.append(self.vocab.get(word, 0))
        return ids


class Labels(Dataset):
    def __init__(self, lines, table):
        self.lines, self.table = lines, table
        self.ids = [[_ids[s] for s in line] for line in lines]  # once

    def __getitem__(self, i):
        rows = [self.table[j] for j in range(i, i + 8)]
        kinds = [classes[c] for c in self.lines[i].split("/")]
        return rows, kinds, self.ids[i]


loader = DataLoader(Speech([]))
