from torch.utils.data import DataLoader
from transformers import TrainingArguments


def train(model, data, curriculum, epochs, workers, optimizer):
    kept = DataLoader(data, num_workers=4, persistent_workers=True)
    alone = DataLoader(data)
    unknown = DataLoader(data, num_workers=workers)
    changing = DataLoader(curriculum, num_workers=4)
    once = DataLoader(data, num_workers=4)
    for epoch in range(epochs):
        curriculum.set_epoch(epoch)
        fresh = DataLoader(data, num_workers=4)
        for x in kept, alone, unknown, changing, fresh:
            model(x).sum().backward()
            optimizer.step()
    for x in once:
        print(x)


one = TrainingArguments("out", num_train_epochs=1, dataloader_num_workers=4)
steps = TrainingArguments("out", max_steps=1000, dataloader_num_workers=4)
kept = TrainingArguments("out", dataloader_num_workers=4, dataloader_persistent_workers=True)
