import torch
from torch import optim
from transformers import TrainingArguments

args = TrainingArguments("out", optim="adamw_torch")  # want SAT406 "told to use an optimizer that is not fused"


def train(model, loader, criterion):
    model.cuda()
    optimizer = optim.AdamW(model.parameters(), lr=1e-4)  # want SAT406 "not fused"
    other = torch.optim.SGD(  # one finding for both
        model.parameters(),
        lr=0.1,
        fused=False,
    )
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        other.step()
