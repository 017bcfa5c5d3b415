import yaml
from transformers import Trainer, TrainingArguments


def main(model, data):
    often = TrainingArguments("out", torch_empty_cache_steps=4, bf16=True)  # want SAT308 "emptied every 4 steps"
    seldom = TrainingArguments("out", torch_empty_cache_steps=500, bf16=True)
    with open("train.yaml") as f:
        kept = TrainingArguments(**yaml.safe_load(f))  # want SAT308 "emptied every step"
    for args in (often, seldom, kept):
        Trainer(model=model, args=args, train_dataset=data).train()
