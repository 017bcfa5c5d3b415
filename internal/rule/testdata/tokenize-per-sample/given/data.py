import torch
from torch.utils.data import Dataset


class Pairs(Dataset):
    def __init__(self, rows, words):
        self.rows = rows
        self.words = words

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        ids = self.words.encode(self.rows[index]["text"]).ids  # want SAT111 "one by one in every epoch"
        return torch.tensor(ids[:128])
