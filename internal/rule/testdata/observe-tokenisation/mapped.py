from datasets import load_dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")


def tokenize(rows):
    return tokenizer(rows["text"])


data = load_dataset("imdb").map(tokenize, batched=True)
