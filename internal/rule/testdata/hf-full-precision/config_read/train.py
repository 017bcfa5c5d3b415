import yaml
from transformers import Trainer, TrainingArguments


def main(model, data):
    with open("config.yaml") as f:
        config = yaml.safe_load(f)
    args = TrainingArguments(  # want SAT701 "float32"
        config["training"]["output_dir"],
        fp16=config["training"]["fp16"],
    )
    Trainer(model=model, args=args, train_dataset=data).train()
