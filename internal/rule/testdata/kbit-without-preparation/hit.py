import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer

lora = LoraConfig(r=8)
model = AutoModelForCausalLM.from_pretrained("huggyllama/llama-7b", load_in_8bit=True)
model = get_peft_model(model, lora)  # want SAT508 "without preparation"


def other(name):
    four = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=torch.bfloat16)
    base = AutoModelForCausalLM.from_pretrained(name, quantization_config=four, device_map="auto")
    return get_peft_model(base, lora)  # want SAT508 "without preparation"


Trainer(model=model).train()
