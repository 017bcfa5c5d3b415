import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from transformers import AutoTokenizer, BertTokenizer


class Captions(Dataset):  # decoding the image takes a hundred times as long
    def __init__(self, rows):
        self.rows = rows
        self.tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        path, caption = self.rows[i]
        return Image.open(path).convert("RGB"), self.tokenizer(caption).input_ids


class Slow(Dataset):
    def __init__(self, rows):
        self.rows = rows
        self.tokenizer = BertTokenizer.from_pretrained("bert-base-uncased")

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        path, caption = self.rows[i]
        return Image.open(path).convert("RGB"), self.tokenizer(caption).input_ids  # want SAT111 "one by one"


class Rounds(Dataset):  # a conversation is split into its rounds
    def __init__(self, texts, template, roles):
        self.texts, self.template, self.roles = texts, template, roles

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        return [self.roles[part] for part in self.texts[i].split(self.template.end)]


def train(model, rows, optimizer):
    for data in (Captions(rows), Slow(rows), Rounds(rows, rows, {})):
        for image, ids in DataLoader(data, batch_size=8):
            model(image.cuda(), ids.cuda()).mean().backward()
            optimizer.step()
