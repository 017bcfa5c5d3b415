from transformers import Trainer, TrainingArguments
from trl import SFTConfig


def main(model, data, kwargs, half):
    bf16 = TrainingArguments("out", bf16=True)
    fp16 = TrainingArguments("out", fp16=True)
    asked = TrainingArguments("out", bf16=half)
    hidden = TrainingArguments("out", **kwargs)
    cpu = TrainingArguments("out", use_cpu=True)
    deepspeed = TrainingArguments("out", deepspeed="ds.json")
    trl = SFTConfig("out")
    Trainer(model=model, args=bf16, train_dataset=data).train()
    return fp16, asked, hidden, cpu, deepspeed, trl
