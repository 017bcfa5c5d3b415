import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-3B")
args = TrainingArguments("out", per_device_train_batch_size=1)  # want SAT501 "8 bytes of state"
named = TrainingArguments("out", optim="adamw_torch")  # want SAT501 "8 bytes"
Trainer(model=model, args=args).train()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)  # want SAT501 "8 bytes"
