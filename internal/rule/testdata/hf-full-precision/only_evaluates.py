from transformers import Trainer, TrainingArguments


def main(model, data):
    return Trainer(model=model, args=TrainingArguments("out"), eval_dataset=data).evaluate()
