import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
from transformers import AutoTokenizer, CLIPTextModel


class Spoken(Dataset):
    """Its letters are looked up in every epoch."""

    def __init__(self, rows, letters):
        self.rows = rows
        self.ids = {letter: i for i, letter in enumerate(letters)}

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        text, path = self.rows[i]
        return torch.tensor([self.ids[c] for c in text]), np.load(path)  # want SAT111 "splits each text"


class Encoded(Dataset):
    """A model that encodes the text takes longer than its tokenizer."""

    def __init__(self, texts):
        self.texts = texts
        self.tokenizer = AutoTokenizer.from_pretrained("openai/clip-vit-base-patch16")
        self.encoder = CLIPTextModel.from_pretrained("openai/clip-vit-base-patch16")

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        ids = self.tokenizer(self.texts[i], return_tensors="pt").input_ids  # want SAT111 "encodes the same texts"
        return self.encoder(ids).last_hidden_state


def train(model, optimizer, rows):
    for ids, mel in DataLoader(Spoken(rows, "abc")):
        model(ids, mel).sum().backward()
        optimizer.step()
    for states in DataLoader(Encoded(rows)):
        model(states).sum().backward()
        optimizer.step()
