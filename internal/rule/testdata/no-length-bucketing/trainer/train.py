from transformers import AutoTokenizer, DataCollatorWithPadding, Trainer, TrainingArguments

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
collator = DataCollatorWithPadding(tokenizer)
args = TrainingArguments("out", num_train_epochs=3)  # want SAT114 "short and long"
Trainer(args=args, data_collator=collator).train()
