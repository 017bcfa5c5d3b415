from transformers import Trainer, TrainingArguments

args = TrainingArguments("out", num_train_epochs=10, dataloader_num_workers=4)  # want SAT202 "restarted in every epoch"
default = TrainingArguments("out", dataloader_num_workers=4)  # want SAT202 "restarted in every epoch"
Trainer(args=args).train()
