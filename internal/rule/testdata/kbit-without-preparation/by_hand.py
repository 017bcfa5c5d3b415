from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer

model = AutoModelForCausalLM.from_pretrained("huggyllama/llama-7b", load_in_8bit=True)
model.gradient_checkpointing_enable()
model.enable_input_require_grads()
model = get_peft_model(model, LoraConfig(r=8))
Trainer(model=model).train()
