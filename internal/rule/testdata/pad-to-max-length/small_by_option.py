from datasets import load_dataset
from transformers import AutoTokenizer, Trainer


def main(model, options):
    tok = AutoTokenizer.from_pretrained("roberta-base")
    fill = "max_length" if options.fill else "do_not_pad"

    def encode(rows):
        return tok(rows["text"], padding=fill, truncation=True, max_length=256)  # want SAT113 "; an option chooses it"

    Trainer(model, train_dataset=load_dataset("notes")["train"].map(encode, batched=True)).train()
