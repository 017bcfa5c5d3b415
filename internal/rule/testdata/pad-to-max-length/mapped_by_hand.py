from datasets import load_dataset
from transformers import AutoTokenizer, Trainer


class Align:
    def __init__(self, tokenizer, length):
        self.tokenizer, self.length = tokenizer, length

    def __call__(self, row):
        ids = self.tokenizer(row["text"], truncation=True, max_length=self.length)["input_ids"]
        gap = self.length - len(ids)  # want SAT113 "padded to a fixed length"
        return {"input_ids": ids + [0] * gap, "attention_mask": [1] * len(ids) + [0] * gap}


def main(model):
    data = load_dataset("json", data_files="notes.jsonl")["train"]
    data = data.map(Align(AutoTokenizer.from_pretrained("roberta-base"), 512))
    Trainer(model, train_dataset=data).train()
