import yaml
from transformers import Trainer, TrainingArguments


def main(model, data):
    with open("config.yaml") as f:
        config = yaml.safe_load(f)
    args = TrainingArguments(**config["training"])  # want SAT203 "pageable"
    here = TrainingArguments("out", dataloader_pin_memory=False)  # want SAT203 "pageable"
    pinned = TrainingArguments("out")
    host = TrainingArguments("out", dataloader_pin_memory=False, use_cpu=True)
    Trainer(model=model, args=args, train_dataset=data).train()
    return here, pinned, host
