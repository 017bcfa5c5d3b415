from datasets import load_dataset
from torch.utils.data import DataLoader, Dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
LENGTH = 512


def tokenize(rows):
    return tokenizer(rows["text"], truncation=True, padding="max_length", max_length=LENGTH)  # want SAT113 "maximum length"


data = load_dataset("imdb").map(tokenize, batched=True)


class Texts(Dataset):
    def __init__(self, texts, length):
        self.texts = texts
        self.length = length

    def __getitem__(self, i):
        return tokenizer.encode_plus(self.texts[i], pad_to_max_length=True, max_length=self.length)  # want SAT113 "padded"

    def __len__(self):
        return len(self.texts)


def collate(batch):
    return tokenizer([row["text"] for row in batch], padding="max_length", truncation=True)  # want SAT113 "padded"


loader = DataLoader(Texts([], 512), collate_fn=collate)
