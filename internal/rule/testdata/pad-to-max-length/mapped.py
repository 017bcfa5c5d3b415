from datasets import load_dataset
from transformers import AutoTokenizer, Trainer


def align(batch, tok, room):
    return tok(batch["words"], is_split_into_words=True, truncation=True, padding="max_length", max_length=room)  # want SAT113 "maximum length"


def shorten(batch, tok, room):
    return tok(batch["words"], truncation=True, padding="max_length", max_length=room)


def main(model):
    tok = AutoTokenizer.from_pretrained("roberta-base")
    data = load_dataset("json", data_files="notes.jsonl")["train"]
    notes = data.map(align, batched=True, fn_kwargs={"tok": tok, "room": 512})
    titles = data.map(shorten, batched=True, fn_kwargs={"tok": tok, "room": 32})
    Trainer(model, train_dataset=notes).train()
    Trainer(model, train_dataset=titles).train()
