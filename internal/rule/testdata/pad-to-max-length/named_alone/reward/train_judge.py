from judge import Judge
from torch.utils.data import Dataset
from transformers import AutoTokenizer, Trainer, TrainingArguments


class Texts(Dataset):
    def __init__(self, texts, tokenizer):
        self.rows = [tokenizer(t, max_length=512, padding="max_length") for t in texts]  # want SAT113 "before training"

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


if __name__ == "__main__":
    data = Texts(open("texts").read().split("\n"), AutoTokenizer.from_pretrained("bert-base-cased"))
    Trainer(Judge(), TrainingArguments("out"), train_dataset=data).train()
