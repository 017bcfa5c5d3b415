"""The products of 8-bit layers are computed in float16, whatever the trainer is told."""
from datasets import load_from_disk
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("some/model", load_in_8bit=True, device_map="auto")
args = TrainingArguments("out", fp16=True, per_device_train_batch_size=4)
Trainer(model=model, args=args, train_dataset=load_from_disk("tokens")).train()
