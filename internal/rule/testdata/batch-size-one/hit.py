import torch
from torch.utils.data import DataLoader, Dataset
from transformers import Trainer, TrainingArguments


class Clips(Dataset):
    def __getitem__(self, i):
        return torch.load(self.files[i])

    def __len__(self):
        return len(self.files)


def train(model, optimizer, data):
    loader = DataLoader(Clips(), shuffle=True)  # want SAT211 "batch size is 1"
    other = DataLoader(data, batch_size=1, shuffle=True)  # want SAT211 "batch size is 1"
    for x in loader:
        model(x.cuda()).sum().backward()
        optimizer.step()
    return other


args = TrainingArguments("out", per_device_train_batch_size=1)  # want SAT211 "batch size is 1"
Trainer(args=args).train()
