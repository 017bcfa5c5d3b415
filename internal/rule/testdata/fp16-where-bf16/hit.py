import lightning.pytorch as pl
import torch
from accelerate import Accelerator
from transformers import Seq2SeqTrainingArguments

args = Seq2SeqTrainingArguments(  # want SAT402 "bfloat16 needs no loss scaling"
    output_dir="out",
    fp16=True,
)
accelerator = Accelerator(mixed_precision="fp16")  # want SAT402 "no loss scaling"
trainer = pl.Trainer(accelerator="gpu", precision="16-mixed")  # want SAT402 "no loss scaling"


def train(model, loader, optimizer, criterion):
    scaler = torch.amp.GradScaler()
    for x, y in loader:
        with torch.autocast("cuda", dtype=torch.float16):  # want SAT402 "no loss scaling"
            loss = criterion(model(x.cuda()), y.cuda())
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
