import torch
from transformers import AutoModel, DataCollatorForLanguageModeling, HfArgumentParser, Trainer, TrainingArguments


def padded(rows):
    lengths = [len(r["ids"]) for r in rows]
    longest = max(lengths)
    ids, labels = [], []
    for n, r in zip(lengths, rows):
        ids.append(torch.LongTensor(r["ids"] + [0] * (longest - n)))
        labels.append(torch.LongTensor(r["ids"] + [-100] * (longest - n)))
    return {"input_ids": torch.stack(ids), "labels": torch.stack(labels)}


def main(data, tokenizer, plain):
    parser = HfArgumentParser(TrainingArguments)
    (args,) = parser.parse_args_into_dataclasses()
    collate = DataCollatorForLanguageModeling(tokenizer) if plain else padded
    trainer = Trainer(AutoModel.from_pretrained("bert-base-uncased"), args, train_dataset=data, data_collator=collate)  # want SAT114 "short and long"
    trainer.train()
