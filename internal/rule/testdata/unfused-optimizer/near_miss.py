import torch
from transformers import TrainingArguments

default = TrainingArguments("out")
eight = TrainingArguments("out", optim="adamw_bnb_8bit")


def train(model, loader, criterion, fused):
    model.cuda()
    a = torch.optim.AdamW(model.parameters(), fused=True)
    b = torch.optim.AdamW(model.parameters(), fused=fused)
    c = torch.optim.Adam(model.parameters(), foreach=True)
    d = torch.optim.Adam(model.parameters(), capturable=True)
    e = torch.optim.RMSprop(model.parameters())
    probe = torch.optim.Adam([torch.zeros(1)], lr=1e-3)
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        for o in (a, b, c, d, e):
            o.step()
