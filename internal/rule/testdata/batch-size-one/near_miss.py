from torch.utils.data import BatchSampler, DataLoader, Dataset, IterableDataset
from transformers import TrainingArguments


class BatchedClips(Dataset):
    def __getitem__(self, i):
        return self.batches[i]

    def __len__(self):
        return 3


class Stream(IterableDataset):
    def __iter__(self):
        yield from self.batches


class Slices(Dataset):
    def __getitem__(self, i):
        return open(self.files[i]).read()

    def __len__(self):
        return 3


def train(model, data, sampler, mini_batch_size, optimizer):
    a = DataLoader(data, batch_size=16)
    b = DataLoader(data, batch_sampler=sampler)
    c = DataLoader(BatchedClips(), batch_size=1)
    d = DataLoader(Stream())
    e = DataLoader(data, sampler=BatchSampler(data, 8, False))
    f = DataLoader(data, batch_size=1, collate_fn=lambda batch: batch[0])
    g = DataLoader(data, batch_size=None)
    h = DataLoader(Slices())
    val_loader = DataLoader(data, batch_size=1)
    for x in a:
        model(x.cuda()).sum().backward()
        optimizer.step()
    return b, c, d, e, f, g, h, val_loader, mini_batch_size


gathered = TrainingArguments("out", per_device_train_batch_size=1, gradient_accumulation_steps=16)
