from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
from trl import SFTConfig

model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.1")
on = TrainingArguments("out", per_device_train_batch_size=1, gradient_accumulation_steps=32, gradient_checkpointing=True)
larger = TrainingArguments("out", per_device_train_batch_size=8, gradient_accumulation_steps=8)
default = SFTConfig("out", per_device_train_batch_size=1, gradient_accumulation_steps=32)
Trainer(model=model, args=on).train()
