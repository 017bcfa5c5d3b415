import argparse

from datasets import load_dataset
from transformers import AutoTokenizer, Trainer

parser = argparse.ArgumentParser()
parser.add_argument("--full", type=int, default=1)
parser.add_argument("--short", type=int, default=0)
args = parser.parse_args()


class Reviews:
    def __init__(self, tok):
        self.tok = tok
        if args.full:
            self.fill = "max_length"
        else:
            self.fill = False
        if args.short:
            self.rest = "max_length"
        else:
            self.rest = False

    def encode(self, rows):
        return self.tok(rows["body"], padding=self.fill, truncation=True, max_length=512)  # want SAT113 "maximum length"

    def names(self, rows):
        return self.tok(rows["name"], padding=self.rest, truncation=True, max_length=512)

    def rows(self):
        data = load_dataset("reviews")["train"]
        return data.map(self.encode, batched=True), data.map(self.names, batched=True)


def main(model):
    reviews = Reviews(AutoTokenizer.from_pretrained("roberta-base"))
    for rows in reviews.rows():
        Trainer(model, train_dataset=rows).train()
