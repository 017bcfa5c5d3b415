import yaml
from transformers import Trainer, TrainingArguments


def main(model, data):
    with open("config.yaml") as f:
        config = yaml.safe_load(f)
    args = TrainingArguments(**config["training"])  # want SAT701 "float32"
    Trainer(model=model, args=args, train_dataset=data).train()
