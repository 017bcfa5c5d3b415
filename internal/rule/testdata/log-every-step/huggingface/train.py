import lightning.pytorch as pl
from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, TrainingArguments

LOG = 1

args = Seq2SeqTrainingArguments(output_dir="out", bf16=True, logging_steps=1)  # want SAT310 "read back and written in every step"
other = TrainingArguments("out", logging_steps=LOG)  # want SAT310 "in every step"
fine = TrainingArguments("out", logging_steps=25)
short = TrainingArguments("out", logging_steps=1, max_steps=20)
trainer = Seq2SeqTrainer(model=None, args=args)
trainer.train()

lightning = pl.Trainer(accelerator="gpu", log_every_n_steps=1)  # want SAT310 "in every step"
