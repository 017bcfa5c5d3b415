import numpy as np
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def metrics(prediction):
    guesses, labels = prediction
    return {"accuracy": (guesses == labels).mean()}


def accuracy(prediction):
    return {"accuracy": (np.argmax(prediction[0], axis=-1) == prediction[1]).mean()}


def main(train, test):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    args = TrainingArguments("out", bf16=True)
    Trainer(model, args, train_dataset=train, eval_dataset=test, compute_metrics=metrics).train()
    Trainer(model, args, train_dataset=train, compute_metrics=accuracy).train()
    Trainer(model, args, train_dataset=train, eval_dataset=test, compute_metrics=accuracy,
            preprocess_logits_for_metrics=lambda logits, labels: logits.argmax(-1)).train()
