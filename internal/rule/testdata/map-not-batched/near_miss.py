from datasets import load_dataset
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
data = load_dataset("imdb")


def tokenize(rows):
    return tokenizer(rows["text"], truncation=True)


def lower(row):
    return {"text": row["text"].lower()}


a = data.map(tokenize, batched=True)
b = data.map(tokenize, num_proc=8)
c = data.map(lower)
d = [tokenizer(t) for t in map(str.lower, ["a", "b"])]
e = data.map(lambda row: {"ids": [tokenizer(s).input_ids for s in row["sentences"]]})
test_data = data.map(tokenize)
