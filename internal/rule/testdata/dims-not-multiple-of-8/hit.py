from transformers import DataCollatorForSeq2Seq, DataCollatorWithPadding, Trainer, TrainingArguments


def main(tokenizer, model, data):
    collator = DataCollatorWithPadding(tokenizer)  # want SAT418 "do not fit tensor cores"
    other = DataCollatorForSeq2Seq(tokenizer, model=model, pad_to_multiple_of=None)  # want SAT418 "do not fit"
    args = TrainingArguments("out", bf16=True)
    Trainer(model=model, args=args, train_dataset=data, data_collator=collator).train()
    return other
