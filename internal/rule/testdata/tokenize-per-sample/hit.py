import sentencepiece
import tiktoken
from tokenizers import Tokenizer
from torch.utils.data import DataLoader, Dataset, IterableDataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")


class Texts(Dataset):
    def __init__(self, texts):
        self.texts = texts

    def __getitem__(self, i):
        return tokenizer(self.texts[i], truncation=True)  # want SAT111 "one by one in every epoch"

    def __len__(self):
        return len(self.texts)


class Passed(Dataset):
    def __init__(self, texts, tokenizer):
        self.texts = texts
        self.tokenizer = tokenizer

    def __getitem__(self, i):
        return self.encode(self.texts[i])

    def encode(self, text):
        return self.tokenizer.encode_plus(text, max_length=512)  # want SAT111 "one by one"

    def __len__(self):
        return len(self.texts)


class Pieces(IterableDataset):
    def __init__(self):
        self.pieces = sentencepiece.SentencePieceProcessor(model_file="m.model")

    def __iter__(self):
        for line in open("texts.txt"):
            yield self.pieces.encode(line)  # want SAT111 "one by one"


def collate(batch):
    return [tokenizer(row["text"]) for row in batch]  # want SAT111 "one by one"


loader = DataLoader(Texts([]), collate_fn=collate)


class Others(Dataset):
    def __init__(self):
        self.fast = Tokenizer.from_file("tokenizer.json")
        self.gpt = tiktoken.get_encoding("gpt2")

    def __getitem__(self, i):
        if self.raw:
            return self.odd(i)
        return self.fast.encode(self.texts[i])  # want SAT111 "one by one"

    def odd(self, i):
        return self.gpt.encode_ordinary(self.texts[i])  # want SAT111 "one by one"

    def __len__(self):
        return 3
