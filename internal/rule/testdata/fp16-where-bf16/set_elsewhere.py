"""Whoever starts this may ask for fp16 again, and transformers refuses both: no repair."""
import argparse

from transformers import Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--fp16", type=bool, default=True)
HALF = True


def main(model, data):
    given = parser.parse_args()
    args = TrainingArguments("out", fp16=given.fp16)  # want SAT402 "no loss scaling"
    constant = TrainingArguments("out", fp16=HALF)  # want SAT402 "no loss scaling"
    Trainer(model=model, args=args, train_dataset=data).train()
    return constant
