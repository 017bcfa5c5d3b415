"""Arguments of which only numbers are read train nothing."""
import torch
from transformers import Seq2SeqTrainingArguments, Trainer, TrainingArguments


def main(model, data):
    defaults: Seq2SeqTrainingArguments = Seq2SeqTrainingArguments(output_dir="fake")
    optimizer = torch.optim.AdamW(model.parameters(), lr=defaults.learning_rate, eps=defaults.adam_epsilon)
    args = TrainingArguments("out")  # want SAT701 "computes in float32"
    print(args.output_dir)
    Trainer(model=model.cuda(), args=args, train_dataset=data, optimizers=(optimizer, None)).train()


def changed(model, data):
    args = TrainingArguments("out")  # want SAT701 "computes in float32"
    args.remove_unused_columns = False
    return args.set_training(learning_rate=1e-4)


if __name__ == "__main__":
    numbers = TrainingArguments("fake")
    print(numbers.learning_rate, changed)
