from datasets import load_dataset
from transformers import AutoTokenizer, Trainer

tokenizer = AutoTokenizer.from_pretrained("gpt2")


def clean(text):
    return " ".join(text.split())


def prepare(file):
    raw = load_dataset("csv", data_files=file)["train"]

    def encode(row):
        text = clean(row["title"]) + " [SEP] " + clean(row["body"])
        tokens = tokenizer(text, truncation=True)
        tokens["labels"] = row["queue"]
        return tokens

    return raw.map(encode)  # want SAT120 "one row at a time"


def one_by_one(rows):
    ids = []
    for text in rows["text"]:
        ids.append(tokenizer(text)["input_ids"])  # want SAT120 "one text of a batch at a time"
    return {"input_ids": ids}


def together(rows):
    texts = [clean(t) for t in rows["text"]]
    return tokenizer(texts)


data = load_dataset("imdb", split="train")
first, second = data.map(one_by_one, batched=True), data.map(together, batched=True)
Trainer(train_dataset=first, eval_dataset=second).train()
