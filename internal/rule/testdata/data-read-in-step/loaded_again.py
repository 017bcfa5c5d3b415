import json

import evaluate
import torch
from torch import nn
from transformers import AutoModel, AutoTokenizer


class Distilled(nn.Module):
    def __init__(self, student):
        super().__init__()
        self.student = student
        self.kept = None

    def teacher(self, ids):
        model = AutoModel.from_pretrained("bert-base-uncased").to(ids.device)  # want SAT127 "loads the same in every training step"
        return model(ids).last_hidden_state

    def guide(self):
        if self.kept is None:
            self.kept = AutoModel.from_pretrained("gpt2")
        return self.kept

    def forward(self, ids):
        self.guide()
        return (self.student(ids) - self.teacher(ids)).pow(2).mean()


def texts(batch, name="bert-base-uncased"):
    tokenizer = AutoTokenizer.from_pretrained(name)  # want SAT127 "loads the same"
    return tokenizer.batch_decode(batch)


def fit(loader, student):
    model = Distilled(student).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    names = json.load(open("names.json"))
    for step, (ids, path) in enumerate(loader):
        ids = ids.cuda(non_blocking=True)
        metric = evaluate.load("bleu")  # want SAT127 "evaluate.load loads the same"
        with open(path) as f:
            extra = json.load(f)
        loss = model(ids)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 1000 == 0:
            print(texts(ids), metric, names, extra)
        texts(ids)
