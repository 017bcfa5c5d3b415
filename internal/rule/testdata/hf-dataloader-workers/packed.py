from torch.utils.data import IterableDataset
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments


class Packed(IterableDataset):
    def __init__(self, tokenizer, rows):
        self.tokenizer = tokenizer
        self.rows = rows

    def __iter__(self):
        for row in self.rows:
            for ids in self.tokenizer([row], truncation=False)["input_ids"]:
                yield {"input_ids": ids, "labels": ids}


def main(rows, name):
    tokenizer = AutoTokenizer.from_pretrained(name)
    model = AutoModelForCausalLM.from_pretrained(name, load_in_8bit=True, device_map="cuda")
    args = TrainingArguments("out", bf16=True)  # want SAT704 "main process"
    Trainer(model, args, train_dataset=Packed(tokenizer, rows)).train()


if __name__ == "__main__":
    main(["a"], "gpt2")
