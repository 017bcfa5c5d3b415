import lightning.pytorch as pl
from transformers import Seq2SeqTrainingArguments, TrainingArguments

args = TrainingArguments("out", eval_strategy="steps", eval_steps=20)  # want SAT707 "every 20 steps"
speech = Seq2SeqTrainingArguments(  # want SAT707 "generate a prediction"
    "out",
    evaluation_strategy="steps",
    eval_steps=50,
    predict_with_generate=True,
    max_steps=4000,
)
often = pl.Trainer(accelerator="gpu", val_check_interval=25)  # want SAT707 "every few steps"
part = pl.Trainer(accelerator="gpu", val_check_interval=0.005)  # want SAT707 "every few steps"


class Net(pl.LightningModule):
    def validation_step(self, batch, index):
        return self(batch)
