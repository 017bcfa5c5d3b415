from transformers import AutoModel, Trainer, TrainingArguments

model = AutoModel.from_pretrained("bert-base-uncased")
a = TrainingArguments("out", per_device_train_batch_size=4, gradient_accumulation_steps=16)
b = TrainingArguments("out", per_device_train_batch_size=1, gradient_accumulation_steps=4)
c = TrainingArguments("out", gradient_accumulation_steps=64)
Trainer(model=model, args=a).train()
