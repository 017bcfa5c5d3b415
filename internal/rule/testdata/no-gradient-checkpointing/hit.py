from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.1")
args = TrainingArguments(  # want SAT502 "memory looks tight"
    "out",
    per_device_train_batch_size=1,
    gradient_accumulation_steps=32,
)
Trainer(model=model, args=args).train()
