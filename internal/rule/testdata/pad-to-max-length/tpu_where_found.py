from datasets import load_dataset
from transformers import AutoTokenizer, Trainer, is_torch_xla_available

if is_torch_xla_available():
    import torch_xla.core.xla_model as xm

tok = AutoTokenizer.from_pretrained("roberta-base")


def encode(rows):
    return tok(rows["text"], padding="max_length", truncation=True, max_length=256)  # want SAT113 "maximum length"


def main(model):
    trainer = Trainer(model, train_dataset=load_dataset("notes")["train"].map(encode, batched=True))
    trainer.train()
    if is_torch_xla_available():
        xm.rendezvous("end")
