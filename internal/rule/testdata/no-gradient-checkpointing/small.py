from transformers import AutoModel, Trainer, TrainingArguments

model = AutoModel.from_pretrained("bert-base-uncased")
args = TrainingArguments("out", per_device_train_batch_size=1, gradient_accumulation_steps=32)
Trainer(model=model, args=args).train()
