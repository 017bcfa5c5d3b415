from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-3B")
model = get_peft_model(model, LoraConfig())
Trainer(model=model, args=TrainingArguments("out")).train()
