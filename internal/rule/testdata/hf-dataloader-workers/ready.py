from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments


class Tokens(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, i):
        return {"input_ids": self.rows[i]}


def main(model, rows):
    Trainer(model=model, args=TrainingArguments("out"), train_dataset=Tokens(rows)).train()
