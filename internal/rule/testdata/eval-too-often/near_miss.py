import lightning.pytorch as pl
from transformers import TrainingArguments

epoch = TrainingArguments("out", eval_strategy="epoch", eval_steps=20)
seldom = TrainingArguments("out", eval_strategy="steps", eval_steps=500)
short = TrainingArguments("out", eval_strategy="steps", eval_steps=50, max_steps=300)
never = TrainingArguments("out", eval_steps=10)
whole = pl.Trainer(accelerator="gpu", val_check_interval=1.0)
quarter = pl.Trainer(accelerator="gpu", val_check_interval=0.25)
limited = pl.Trainer(accelerator="gpu", val_check_interval=20, limit_val_batches=2)


class Net(pl.LightningModule):
    def validation_step(self, batch, index):
        return self(batch)
