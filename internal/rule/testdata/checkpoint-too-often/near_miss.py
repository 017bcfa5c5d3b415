import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from transformers import TrainingArguments

seldom = TrainingArguments("out", save_steps=500)
epoch = TrainingArguments("out", save_strategy="epoch", save_steps=10)
short = TrainingArguments("out", save_steps=50, max_steps=200)
callback = ModelCheckpoint(every_n_train_steps=1000)


def train(model, loader, optimizer, epochs, best):
    for epoch in range(epochs):
        for step, x in enumerate(loader):
            loss = model(x.cuda()).mean()
            loss.backward()
            optimizer.step()
            if step % 1000 == 0:
                torch.save(model.state_dict(), "last.pt")
            if step > best:
                torch.save(model.state_dict(), "best.pt")
        torch.save(model.state_dict(), f"{epoch}.pt")


def train_sometimes(model, loader, optimizer, every, epochs):
    for epoch in range(epochs):
        for step, x in enumerate(loader):
            loss = model(x.cuda()).mean()
            loss.backward()
            optimizer.step()
            if step % every == 0:
                torch.save(model.state_dict(), "last.pt")
            if epoch % 10 == 0:
                torch.save(model.state_dict(), "epoch.pt")
            if step % 10 == 0 and loss < 0.1:
                pass
            else:
                torch.save(model.state_dict(), "other.pt")
