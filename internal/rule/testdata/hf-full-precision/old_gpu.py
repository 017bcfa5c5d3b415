"""Trains on a T4, which has no bfloat16."""
from transformers import Trainer, TrainingArguments


def main(model, data):
    args = TrainingArguments("out")  # want SAT701 "float32"
    Trainer(model=model, args=args, train_dataset=data).train()
