"""What is loaded is changed for the sample: no repair."""
import json

import numpy as np
from torch.utils.data import Dataset
from transformers import AutoTokenizer


class Rows(Dataset):
    def __init__(self, path):
        self.path = path

    def __getitem__(self, i):
        mean = np.load("mean.npy")  # want SAT106 "same file"
        mean[i] = 0
        names = json.load(open("names.json"))  # want SAT106 "same file"
        names.pop(str(i))
        tokenizer = AutoTokenizer.from_pretrained("gpt2")  # want SAT106 "loaded for every sample"
        tokenizer.add_tokens([str(i)])
        return mean, names, tokenizer(str(i))

    def __len__(self):
        return 10
