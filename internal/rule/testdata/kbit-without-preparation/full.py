import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer

model = AutoModelForCausalLM.from_pretrained("huggyllama/llama-7b", torch_dtype=torch.bfloat16, load_in_8bit=False)
model = get_peft_model(model, LoraConfig())
Trainer(model=model).train()
