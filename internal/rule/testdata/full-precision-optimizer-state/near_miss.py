from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

NAME = "openai-community/gpt2"
model = AutoModelForCausalLM.from_pretrained(NAME)
args = TrainingArguments("out", per_device_train_batch_size=1)
Trainer(model=model, args=args).train()
