import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset
from transformers import TrainingArguments


class OnGPU(Dataset):
    def __getitem__(self, i):
        return torch.load(self.files[i]).cuda()

    def __len__(self):
        return 3


class InMemory(Dataset):
    def __getitem__(self, i):
        return self.rows[i]

    def __len__(self):
        return len(self.rows)


class Queue(IterableDataset):
    def __iter__(self):
        while True:
            yield self.queue.get()


def train(model, data, options, workers, optimizer):
    loader = DataLoader(data, num_workers=4)
    hidden = DataLoader(data, **options)
    given = DataLoader(data, num_workers=workers)
    memory = DataLoader(TensorDataset(torch.zeros(3)), batch_size=2)
    rows = DataLoader(InMemory(), batch_size=2)
    gpu = DataLoader(OnGPU(), batch_size=2)
    queue = DataLoader(Queue(), batch_size=2)
    val_loader = DataLoader(data)
    for x in loader:
        model(x.cuda()).sum().backward()
        optimizer.step()
    return hidden, given, memory, rows, gpu, queue, val_loader


def compute_mean(data):
    return sum(DataLoader(data))


args = TrainingArguments("out", per_device_train_batch_size=16)
