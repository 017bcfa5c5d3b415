"""Whoever starts this may ask for fp16, and transformers refuses both."""
import argparse

from transformers import Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--fp16", action="store_true")
parser.add_argument("--bf16", action="store_true")
parser.add_argument("--half", type=bool, default=False)
parser.add_argument("--brain", type=bool, default=False)


def main(model, data, half=False):
    given = parser.parse_args()
    args = TrainingArguments("out", fp16=given.fp16)  # want SAT701 "computes in float32"
    default = TrainingArguments("out", fp16=half)  # want SAT701 "computes in float32"
    both = TrainingArguments("out", fp16=given.fp16, bf16=given.bf16)  # want SAT701 "computes in float32"
    defaults = TrainingArguments("out", fp16=given.half, bf16=given.brain)  # want SAT701 "computes in float32"
    Trainer(model=model, args=args, train_dataset=data).train()
    return default, both, defaults


main(None, None)
