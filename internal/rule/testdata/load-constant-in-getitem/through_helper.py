import gzip
import json
from functools import lru_cache
from pathlib import Path

import yaml
from torch.utils.data import Dataset
from transformers import AutoTokenizer


def palette(path="palette.yaml"):
    with open(path) as f:  # want SAT106 "same file"
        return yaml.safe_load(f)


def vocabulary(path):
    words = {}
    for line in open(path):  # want SAT106 "same file"
        words.setdefault(line.strip(), len(words))
    return words


def tokenizer(name):
    return AutoTokenizer.from_pretrained(name)  # want SAT106 "AutoTokenizer is loaded"


@lru_cache
def kept(name):
    return AutoTokenizer.from_pretrained(name)


def annotation(path):
    with open(path) as f:  # of each sample
        return json.load(f)


class Scenes(Dataset):
    def __init__(self, files, words, name):
        self.files, self.words, self.name = files, words, name

    def __getitem__(self, i):
        words = vocabulary(self.words)
        colors = palette()
        ids = tokenizer(self.name)(" ".join(words)), kept(self.name)
        names = Path("classes.txt").read_text().split()  # want SAT106 "same file"
        rows = list(gzip.open("rows.gz", "rt"))  # want SAT106 "same file"
        text = Path(self.files[i]).read_text()
        return annotation(self.files[i]), colors, ids, names, rows, text

    def __len__(self):
        return len(self.files)
