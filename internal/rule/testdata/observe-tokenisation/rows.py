from datasets import load_dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")


def tokenize(row):
    return tokenizer(row["text"])


data = load_dataset("imdb").map(tokenize)
