import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.float32)
Trainer(model=model, args=TrainingArguments("out", bf16=True)).train()
