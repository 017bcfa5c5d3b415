import torch
from torch.utils.data import DataLoader, Dataset
from transformers import BertTokenizer


class Captions(Dataset):
    def __init__(self, rows, tokenizer):
        self.ids = tokenizer([r["text"] for r in rows], padding=True, truncation=True, return_tensors="pt").input_ids

    def __getitem__(self, i):
        return self.ids[i]


def train(rows, model, optimizer):
    tokenizer = BertTokenizer.from_pretrained("bert-base-uncased")
    for ids in DataLoader(Captions(rows, tokenizer), 32, shuffle=True):
        loss = model(ids.cuda()).mean()
        loss.backward()
        optimizer.step()
        torch.set_grad_enabled(True)
