import random

from datasets import load_dataset
from torch.utils.data import DataLoader, Dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
data = load_dataset("org/texts").map(lambda rows: tokenizer(rows["text"]), batched=True)


class Letters:
    def encode(self, text):
        return [ord(c) for c in text]


class Texts(Dataset):
    def __init__(self, texts):
        self.ids = tokenizer(texts).input_ids
        self.prompt = tokenizer("Say it:")
        self.letters = Letters()
        self.texts = texts

    def __getitem__(self, i):
        text = self.texts[i]
        if random.random() < 0.1:
            text = text.lower()
        return self.ids[i], self.letters.encode(self.texts[i]), tokenizer(text)

    def __len__(self):
        return len(self.texts)


def collate(batch):
    return tokenizer([row["text"] for row in batch], padding=True)


class ValidationTexts(Dataset):
    def __getitem__(self, i):
        return tokenizer(self.texts[i])

    def __len__(self):
        return 3


loader = DataLoader(Texts([]), collate_fn=collate)


def evaluate(texts):
    return [tokenizer(t) for t in texts]
