from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, Trainer

model = AutoModelForCausalLM.from_pretrained("huggyllama/llama-7b", load_in_8bit=True)
model = prepare_model_for_kbit_training(model)
model = get_peft_model(model, LoraConfig())
Trainer(model=model).train()
