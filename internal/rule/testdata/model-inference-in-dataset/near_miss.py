import random

import torchaudio
from datasets import load_dataset
from torch.utils.data import Dataset
from transformers import AutoModel

bert = AutoModel.from_pretrained("bert-base-uncased")


def embed(row):
    row["embedding"] = bert(row["text"])
    return row


data = load_dataset("org/texts").map(embed)


class Clips(Dataset):
    def __init__(self, clips):
        self.resample = torchaudio.transforms.Resample(48000, 16000)
        self.embeddings = [bert(c) for c in clips]
        self.clips = clips

    def __getitem__(self, i):
        text = random.choice(self.clips[i])
        return self.resample(self.clips[i]), self.embeddings[i], bert(text)

    def __len__(self):
        return len(self.clips)


def predict(text):
    return bert(text)
