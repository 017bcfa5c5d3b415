from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-13b-hf")
args = TrainingArguments("out", per_device_train_batch_size=1, gradient_accumulation_steps=64)
Trainer(model=model, args=args).train()
