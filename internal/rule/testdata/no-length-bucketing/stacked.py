import torch
from transformers import AutoModel, HfArgumentParser, Trainer, TrainingArguments


def framed(rows):
    longest = max(len(r["boxes"]) for r in rows)
    images, boxes = [], []
    for r in rows:
        images.append(r["image"])
        boxes.append(torch.tensor(r["boxes"] + [0] * (longest - len(r["boxes"]))))
    return {"pixel_values": torch.stack(images), "boxes": torch.stack(boxes)}


class Sampled(Trainer):
    def _get_train_sampler(self):
        return None


def padded(rows):
    longest = max(len(r) for r in rows)
    return torch.stack([torch.tensor(r + [0] * (longest - len(r))) for r in rows])


def main(data):
    parser = HfArgumentParser(TrainingArguments)
    (args,) = parser.parse_args_into_dataclasses()
    Trainer(AutoModel.from_pretrained("vit"), args, train_dataset=data, data_collator=framed).train()
    Sampled(AutoModel.from_pretrained("bert"), args, train_dataset=data, data_collator=padded).train()
