import torch_xla.core.xla_model as xm
from datasets import load_dataset
from transformers import AutoTokenizer, Trainer

tok = AutoTokenizer.from_pretrained("roberta-base")


def encode(rows):
    return tok(rows["text"], padding="max_length", truncation=True, max_length=256)


def main(model):
    model.to(xm.xla_device())
    Trainer(model, train_dataset=load_dataset("notes")["train"].map(encode, batched=True)).train()
