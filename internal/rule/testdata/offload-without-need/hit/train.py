from transformers import AutoModel, Trainer, TrainingArguments

model = AutoModel.from_pretrained("openai/whisper-small")
Trainer(model=model, args=TrainingArguments("out", deepspeed="ds.json")).train()
