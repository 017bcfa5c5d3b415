import requests
from torch.utils.data import DataLoader, Dataset
from transformers import Trainer, TrainingArguments


class Remote(Dataset):
    def __getitem__(self, i):
        return requests.get(self.urls[i]).content

    def __len__(self):
        return 3


def train(model, data, optimizer):
    loader = DataLoader(data, num_workers=4, prefetch_factor=1)  # want SAT206 "one batch ahead"
    remote = DataLoader(Remote(), num_workers=4)  # want SAT206 "two batches ahead"
    for x in loader:
        model(x.cuda()).sum().backward()
        optimizer.step()
    return remote


args = TrainingArguments("out", dataloader_num_workers=4, dataloader_prefetch_factor=1)  # want SAT206 "one batch"
Trainer(args=args).train()
