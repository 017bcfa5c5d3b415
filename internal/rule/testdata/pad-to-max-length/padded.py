from dataclasses import dataclass
from typing import Any

from torch.utils.data import DataLoader
from transformers import Trainer


@dataclass
class Batcher:
    processor: Any
    room: int = 448

    def __call__(self, rows):
        out = self.processor.feature_extractor.pad(
            [{"input_features": r["input_features"]} for r in rows], padding="max_length", max_length=3000
        )
        out["labels"] = self.processor.tokenizer.pad(  # want SAT113 "maximum length"
            [{"input_ids": r["labels"]} for r in rows], padding="max_length", max_length=self.room, return_tensors="pt"
        )["input_ids"]
        out["longest"] = self.processor.tokenizer.pad([{"input_ids": r["labels"]} for r in rows], padding="longest")
        return out


def main(model, processor, data):
    Trainer(model, train_dataset=data, data_collator=Batcher(processor)).train()
