from transformers import AutoModel, Trainer, TrainingArguments

model = AutoModel.from_pretrained("openai/whisper-tiny")
a = TrainingArguments("out", gradient_checkpointing=True, per_device_train_batch_size=256)
b = TrainingArguments("out", per_device_train_batch_size=8)
Trainer(model=model, args=a).train()
