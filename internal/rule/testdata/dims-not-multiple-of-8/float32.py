from transformers import DataCollatorWithPadding, Trainer, TrainingArguments


def main(tokenizer, model, data):
    args = TrainingArguments("out")
    Trainer(model=model, args=args, train_dataset=data, data_collator=DataCollatorWithPadding(tokenizer)).train()
