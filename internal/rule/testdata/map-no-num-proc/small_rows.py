from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments

tokenizer = AutoTokenizer.from_pretrained("gpt2")
data = load_dataset("json", data_files="dialogs.json", split="train")


def paired(rows):
    found = {"input_ids": []}
    for question, answer in zip(rows["question"], rows["answer"]):
        found["input_ids"].append(tokenizer(question + answer)["input_ids"])
    return found


def tokenized(rows):
    return tokenizer(rows["question"])


data = data.map(paired, batched=True)  # want SAT121 "one process goes through all rows in Python"
data = data.filter(lambda row: len(row["input_ids"]) < 512)
data = data.filter(lambda row: len(row["input_ids"]) > 4, num_proc=8)
data = data.map(tokenized, batched=True)

trainer = Trainer(
    model=AutoModelForCausalLM.from_pretrained("gpt2"),
    args=TrainingArguments("out", bf16=True, per_device_train_batch_size=8, dataloader_num_workers=4),
    train_dataset=data,
)
trainer.train()
