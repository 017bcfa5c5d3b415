from dataclasses import dataclass, field

from transformers import AutoModelForSequenceClassification, AutoTokenizer, HfArgumentParser, Trainer, TrainingArguments


@dataclass
class ModelArguments:
    name: str
    use_fast: bool = field(default=True)


def encode(rows, tokenizer):
    return tokenizer(rows["text"], truncation=True, max_length=128)


def main(data):
    m, t = HfArgumentParser((ModelArguments, TrainingArguments)).parse_args_into_dataclasses()
    tokenizer = AutoTokenizer.from_pretrained(m.name, use_fast=m.use_fast)  # want SAT112 "slow Python tokenizer"
    model = AutoModelForSequenceClassification.from_pretrained(m.name)
    Trainer(model=model, args=t, train_dataset=data.map(encode, fn_kwargs={"tokenizer": tokenizer})).train()
