from transformers import AutoModel, Trainer, TrainingArguments

model = AutoModel.from_pretrained("gpt2", attn_implementation="eager")
Trainer(model=model, args=TrainingArguments("out", bf16=True)).train()
print(model(output_attentions=True).attentions)
