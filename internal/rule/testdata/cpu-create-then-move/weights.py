import torch
from transformers import Trainer, TrainingArguments


class Weighted(Trainer):
    def __init__(self, *args, weights=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.weights = weights

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        out = model(**inputs)
        weights = torch.tensor(self.weights).to(out.logits.device)  # want SAT312 "the same in every step"
        return torch.nn.functional.cross_entropy(out.logits, inputs["labels"], weight=weights)


def main(model, data):
    Weighted(model, TrainingArguments("out", bf16=True), train_dataset=data, weights=[0.2, 1.0]).train()
