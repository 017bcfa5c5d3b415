# In 4 bits and with checkpointing, a model of 7 billion parameters leaves room for more than one sample.
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments

quant = BitsAndBytesConfig(load_in_4bit=True)
model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-7b-hf", quantization_config=quant)
args = TrainingArguments("out", per_device_train_batch_size=1, gradient_accumulation_steps=64, gradient_checkpointing=True)  # want SAT606 "one sample at a time"
full = TrainingArguments("out", per_device_train_batch_size=1, gradient_accumulation_steps=64)
Trainer(model=model, args=args).train()
Trainer(model=model, args=full).train()
