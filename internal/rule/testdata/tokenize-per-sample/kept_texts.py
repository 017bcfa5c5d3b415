import torch
from torch.utils.data import DataLoader, Dataset
from transformers import AutoTokenizer


class Texts(Dataset):
    def __init__(self, texts, tokenizer):
        self.texts = texts
        self.tokenizer = tokenizer

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        text = self.texts[index]
        labels = self.tokenizer(text, return_tensors="pt", truncation=True, max_length=64).input_ids[0]  # want SAT111 "one by one"
        return {"text": text, "labels": labels}


class Padded(Dataset):
    """Padding means another thing for many texts: no repair."""

    def __init__(self, texts, tokenizer):
        self.texts = texts
        self.tokenizer = tokenizer

    def __getitem__(self, index):
        return self.tokenizer(self.texts[index], return_tensors="pt", padding=True).input_ids[0]  # want SAT111 "one by one"


class Changing(Dataset):
    """The texts are not those of the beginning: no repair."""

    def __init__(self, texts, tokenizer):
        self.texts = texts
        self.tokenizer = tokenizer

    def use(self, texts):
        self.texts = texts

    def __getitem__(self, index):
        return self.tokenizer(self.texts[index]).input_ids  # want SAT111 "one by one"


def train(model, texts, optimizer):
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
    model.cuda()
    for data in (Texts(texts, tokenizer), Padded(texts, tokenizer), Changing(texts, tokenizer)):
        for batch in DataLoader(data, num_workers=2, pin_memory=True):
            model(batch).mean().backward()
            optimizer.step()
