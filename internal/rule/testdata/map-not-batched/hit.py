from datasets import load_dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
data = load_dataset("imdb")


def tokenize(row):
    return tokenizer(row["text"], truncation=True)


def with_labels(row):
    tokens = tokenizer(row["text"])
    tokens["labels"] = tokens["input_ids"][1:]
    return tokens


def padded(row):
    return tokenizer(row["text"], padding=True)


a = data.map(tokenize)  # want SAT120 "one row at a time"
b = data.map(lambda row: tokenizer(row["text"]), remove_columns=["text"])  # want SAT120 "one row"
c = data["train"].map(with_labels)  # want SAT120 "one row"
d = data.map(padded, batched=False)  # want SAT120 "one row"
