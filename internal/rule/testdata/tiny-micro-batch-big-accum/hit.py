from transformers import AutoModel, Trainer, TrainingArguments

STEPS = 64
model = AutoModel.from_pretrained("bert-base-uncased")
args = TrainingArguments("out", per_device_train_batch_size=1, gradient_accumulation_steps=STEPS)  # want SAT606 "one sample at a time"
Trainer(model=model, args=args).train()
