import json
import os

import h5py
import numpy as np
import pandas as pd
from torch.utils.data import Dataset
from transformers import AutoTokenizer

ROOT = "data"


class Texts(Dataset):
    def __init__(self, path):
        self.path = path
        self.length = 10

    def __getitem__(self, i):
        table = pd.read_csv(self.path)  # want SAT106 "same file is loaded for every sample"
        tokenizer = AutoTokenizer.from_pretrained("gpt2")  # want SAT106 "AutoTokenizer is loaded for every sample"
        vocabulary = json.load(open(os.path.join(ROOT, "vocab.json")))  # want SAT106 "same file"
        return tokenizer(table.text[i]), vocabulary, self.mean()

    def mean(self):
        with open(self.path + ".mean") as f:  # want SAT106 "same file"
            return float(f.read())

    def __len__(self):
        return self.length


class Stored(Dataset):
    def __init__(self, path):
        self.path = path

    def __getitem__(self, i):
        with h5py.File(self.path) as f:  # want SAT106 "same file"
            clip = f["audio"][i]
        statistics = np.load(os.path.join(ROOT, "mean.npy"))  # want SAT106 "same file"
        return clip - statistics

    def __len__(self):
        return 10
