import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from transformers import TrainingArguments

args = TrainingArguments("out", save_steps=10)  # want SAT708 "every 10 steps"
callback = ModelCheckpoint(every_n_train_steps=5)  # want SAT708 "every 5 steps"


def train(model, loader, optimizer):
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        torch.save(model.state_dict(), "last.pt")  # want SAT708 "torch.save writes a checkpoint in every step"


def train_often(model, loader, optimizer):
    for step, x in enumerate(loader):
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        if (step + 1) % 20 == 0:
            torch.save(model.state_dict(), "last.pt")  # want SAT708 "torch.save writes a checkpoint every 20 steps"


def train_on_cpu(model, loader, optimizer):
    for step, x in enumerate(loader):
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        if step % 5 == 0:
            model.save_pretrained("out")  # want SAT708 "model.save_pretrained writes a checkpoint every 5 steps"
