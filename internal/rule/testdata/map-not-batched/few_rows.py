from datasets import Dataset
from transformers import AutoTokenizer, Trainer, TrainingArguments

tokenizer = AutoTokenizer.from_pretrained("gpt2")
start = 100


def tokenize(row):
    return tokenizer(row["text"], truncation=True)


def show(data):
    rows = Dataset.from_dict(data["train"][start : start + 5])
    print(rows.map(tokenize))
    print(data["train"].select(range(10)).map(tokenize))


def main(data, model):
    show(data)
    trainer = Trainer(model, TrainingArguments("out"), train_dataset=data["train"])
    trainer.train()
