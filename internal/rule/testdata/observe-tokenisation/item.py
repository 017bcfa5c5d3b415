from torch.utils.data import Dataset
from transformers import AutoTokenizer


class Texts(Dataset):
    def __init__(self, texts):
        self.texts = texts
        self.tokenizer = AutoTokenizer.from_pretrained("gpt2")

    def __getitem__(self, i):
        return self.tokenizer(self.texts[i])

    def __len__(self):
        return len(self.texts)
