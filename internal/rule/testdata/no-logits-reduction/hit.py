import numpy as np
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def metrics(prediction):
    logits, labels = prediction
    guesses = np.argmax(logits, axis=-1)
    return {"accuracy": (guesses == labels).mean()}


def main(train, test):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    args = TrainingArguments("out", bf16=True)
    trainer = Trainer(model, args, train_dataset=train, eval_dataset=test, compute_metrics=metrics)  # want SAT509 "logits of every token"
    trainer.train()
