from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader
from transformers import AutoTokenizer


@dataclass
class Packer:
    tok: object
    window: int = 2048

    def __call__(self, texts):
        return self.tok(texts, truncation=True, max_length=self.window, return_tensors="pt", padding=True)  # want SAT111 "again in every epoch"


@dataclass
class Captions:
    tok: object

    def __call__(self, texts):
        return self.tok(texts, truncation=True, max_length=64, return_tensors="pt", padding=True)


def main(net, data, captions):
    tok = AutoTokenizer.from_pretrained("gpt2")
    net = net.cuda()
    opt = torch.optim.AdamW(net.parameters())
    for loader in (
        DataLoader(data, batch_size=8, shuffle=True, collate_fn=Packer(tok), num_workers=4),
        DataLoader(captions, batch_size=8, shuffle=True, collate_fn=Captions(tok), num_workers=4),
    ):
        for batch in loader:
            net(**batch.to("cuda")).loss.backward()
            opt.step()
