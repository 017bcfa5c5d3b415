import torch
from torch.utils.data import Dataset

from speechkit.clips import clip_of


class Sentences(Dataset):
    def __init__(self, texts, language="en"):
        self.texts = texts
        self.language = language

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        samples, rate = clip_of(self.texts[index], self.language)
        return torch.from_numpy(samples), len(self.texts[index])


def make_dataset(texts):
    return Sentences(texts)
