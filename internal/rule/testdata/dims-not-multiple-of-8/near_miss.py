from transformers import DataCollatorWithPadding, Trainer, TrainingArguments


def main(tokenizer, model, data, multiple):
    collator = DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8)
    asked = DataCollatorWithPadding(tokenizer, pad_to_multiple_of=multiple)
    fixed = DataCollatorWithPadding(tokenizer, padding="max_length", max_length=128)
    args = TrainingArguments("out", bf16=True)
    Trainer(model=model, args=args, train_dataset=data, data_collator=collator).train()
    return asked, fixed
