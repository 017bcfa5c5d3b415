from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler, IterableDataset, Subset


class Part(Dataset):
    def __init__(self, rank, world_size):
        self.rows = list(range(rank, 100, world_size))

    def __getitem__(self, i):
        return self.rows[i]

    def __len__(self):
        return len(self.rows)


class Stream(IterableDataset):
    def __iter__(self):
        yield 1


def train(model, data, optimizer, rank, world_size, distributed, batches):
    model = DDP(model.cuda(rank), device_ids=[rank])
    a = DataLoader(data, sampler=DistributedSampler(data))
    b = DataLoader(data, batch_sampler=batches)
    c = DataLoader(Part(rank, world_size), batch_size=16)
    d = DataLoader(Stream(), batch_size=16)
    if not distributed:
        e = DataLoader(data, shuffle=True)
    else:
        e = a
    part = Subset(data, list(range(rank, len(data), world_size)))
    f = DataLoader(part, shuffle=True)
    val_loader = DataLoader(data)
    for x in a:
        model(x).sum().backward()
        optimizer.step()
    return b, c, d, e, f, val_loader
