import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("gpt2", attn_implementation="sdpa")
other = AutoModelForCausalLM.from_pretrained("gpt2")
trainer = Trainer(model=model, args=TrainingArguments("out", bf16=True))
trainer.train()


def evaluate(name):
    return AutoModelForCausalLM.from_pretrained(name, attn_implementation="eager")
