from torch.utils.data import Dataset
from transformers import AutoTokenizer


class Texts(Dataset):
    def __init__(self, texts):
        self.texts = texts
        self.tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")

    def __getitem__(self, i):
        return self.tokenizer(self.texts[i], padding="max_length", truncation=True, max_length=256)["input_ids"]

    def __len__(self):
        return len(self.texts)
