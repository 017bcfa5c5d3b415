import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset
from transformers import AutoTokenizer, DataCollatorWithPadding, Trainer, TrainingArguments

tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")


class Encoded(Dataset):
    def __init__(self, encoded):
        self.encoded = encoded

    def __len__(self):
        return len(self.encoded["input_ids"])

    def __getitem__(self, i):
        return {k: v[i] for k, v in self.encoded.items()}


def unpadded(model, texts):
    encoded = tokenizer(texts, truncation=True)  # the collator pads each batch
    prompt = tokenizer("the one question", padding="max_length", max_length=256)
    print(prompt)
    Trainer(model, TrainingArguments("out"), train_dataset=Encoded(encoded), data_collator=DataCollatorWithPadding(tokenizer)).train()


def short(model, texts, optimizer):
    encoded = tokenizer(texts, padding="max_length", max_length=32, return_tensors="pt")
    for (ids,) in DataLoader(TensorDataset(encoded["input_ids"]), batch_size=32, shuffle=True):
        loss = model(ids.cuda()).loss
        loss.backward()
        optimizer.step()


def only_evaluated(model, texts, held_out, optimizer):
    checked = tokenizer(held_out, padding="max_length", max_length=256, return_tensors="pt")
    rows = [torch.tensor(tokenizer.encode(t)) for t in texts]
    for ids in DataLoader(rows, batch_size=1, shuffle=True):
        loss = model(ids.cuda()).loss
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        for (ids,) in DataLoader(TensorDataset(checked["input_ids"]), batch_size=32):
            print(model(ids.cuda()).loss)
