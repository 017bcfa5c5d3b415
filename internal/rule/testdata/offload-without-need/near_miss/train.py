from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-70b-hf")
Trainer(model=model, args=TrainingArguments("out", deepspeed="ds.json")).train()
