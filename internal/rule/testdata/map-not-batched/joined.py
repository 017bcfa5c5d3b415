"""Texts that are joined of several columns, one row at a time."""

from datasets import load_dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


def by_format(row):
    text = f"{row['title']}: {row['body']}"
    return tokenizer(text, truncation=True, max_length=256)


def by_sum(row):
    joined = row["title"].strip() + " " + row["body"]
    return tokenizer(joined, truncation=True, max_length=256)


def of_many(rows):
    texts = [a + b for a, b in zip(rows["title"], rows["body"])]
    return tokenizer(texts, truncation=True, max_length=256)


held = load_dataset("csv", data_files="rows.csv")["train"]
first = held.map(by_format)  # want SAT120 "one row at a time"
second = held.map(by_sum)  # want SAT120 "one row at a time"
third = held.map(of_many, batched=True)
