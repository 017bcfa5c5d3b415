import torch
from transformers import AutoModel

model = AutoModel.from_pretrained("distilbert-base-uncased").to("cuda")
model.gradient_checkpointing_enable()  # want SAT503 "activations twice"


def train(loader, optimizer):
    for batch in loader:
        model(**batch).loss.backward()
        optimizer.step()
