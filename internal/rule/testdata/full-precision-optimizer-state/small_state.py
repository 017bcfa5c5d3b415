from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-3B")
a = TrainingArguments("out", optim="adamw_bnb_8bit")
b = TrainingArguments("out", optim="adafactor")
c = TrainingArguments("out", deepspeed="ds.json")
Trainer(model=model, args=a).train()
