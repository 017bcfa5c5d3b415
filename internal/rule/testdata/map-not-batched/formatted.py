from datasets import load_dataset
from transformers import AutoTokenizer

TEMPLATE = "### Customer:\n{question}\n\n### Agent:\n{answer}"
rows = load_dataset("json", data_files="chats.jsonl", split="train")
tokenizer = AutoTokenizer.from_pretrained("gpt2")


class Preparer:
    def __init__(self, tokenizer, length):
        self.tokenizer = tokenizer
        self.length = length

    def __call__(self, row):
        text = TEMPLATE.format(question=row["question"], answer=row["answer"])
        return self.tokenizer(text + self.tokenizer.eos_token, truncation=True, max_length=self.length)


def joined(row):
    return tokenizer("\n".join([row["question"], row["answer"]]), truncation=True)


def stripped(row):
    text = row["answer"].strip().lower()
    return tokenizer(text, truncation=True)


def unpacked(row):
    return tokenizer(TEMPLATE.format(**row), truncation=True)


def asked(row, question="Why?"):
    return {"text": TEMPLATE.format(question=question, answer=row["answer"])}


prepared = rows.map(Preparer(tokenizer, 512), remove_columns=rows.column_names)  # want SAT120 "one row at a time"
prepared = rows.map(joined)  # want SAT120 "one row at a time"
prepared = rows.map(stripped)  # want SAT120 "one row at a time"
prepared = rows.map(unpacked)  # want SAT120 "one row at a time"
prepared = rows.map(asked)
prepared = rows.map(unpacked, num_proc=8)
