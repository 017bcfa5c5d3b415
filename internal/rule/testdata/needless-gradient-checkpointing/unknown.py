import sys

from transformers import AutoModel, Trainer, TrainingArguments

model = AutoModel.from_pretrained(sys.argv[1])
a = TrainingArguments("out", gradient_checkpointing=True)
Trainer(model=model, args=a).train()
