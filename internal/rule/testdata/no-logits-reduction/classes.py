import numpy as np
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments


def accuracy(prediction):
    return {"accuracy": (np.argmax(prediction[0], axis=-1) == prediction[1]).mean()}


def main(train, test):
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
    Trainer(model, TrainingArguments("out"), train_dataset=train, eval_dataset=test, compute_metrics=accuracy).train()
