import torch
from accelerate import Accelerator
from transformers import TrainingArguments

bf16 = TrainingArguments("out", bf16=True)
either = TrainingArguments("out", fp16=not torch.cuda.is_bf16_supported(), bf16=torch.cuda.is_bf16_supported())
accelerator = Accelerator(mixed_precision="bf16")


def train(model, loader, optimizer, criterion):
    for x, y in loader:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
