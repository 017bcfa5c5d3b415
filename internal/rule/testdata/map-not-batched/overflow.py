from datasets import load_dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
data = load_dataset("imdb")


def windows(row):
    return tokenizer(row["text"], truncation=True, max_length=128, stride=16, return_overflowing_tokens=True)


data = data.map(windows)  # want SAT120 "one row at a time"
