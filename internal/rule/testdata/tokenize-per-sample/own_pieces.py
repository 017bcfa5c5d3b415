import json
import re

import torch
from torch.utils.data import DataLoader, Dataset

WORDS = re.compile(r" ?[a-z]+| ?[0-9]+|\S")


class Merges:
    def __init__(self, path):
        with open(path) as f:
            self.ids = json.load(f)

    def parts(self, word):
        return [word[:4], word[4:]]

    def encode(self, text):
        ids = []
        for word in WORDS.findall(text):  # want SAT111 "Python splits each text and looks up its pieces"
            for part in self.parts(word):
                ids.append(self.ids.get(part, 0))
        return ids


class Letters(Dataset):
    def __init__(self, texts, path):
        self.texts, self.merges = texts, Merges(path)

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        return torch.tensor(self.merges.encode(self.texts[i]))


def train(model, texts, optimizer):
    model.cuda()
    for epoch in range(10):
        for ids in DataLoader(Letters(texts, "ids.json"), batch_size=64, num_workers=8, pin_memory=True):
            model(ids.cuda(non_blocking=True)).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
