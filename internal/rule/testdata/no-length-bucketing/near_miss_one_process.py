import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def pad(samples):
    return pad_sequence(samples, batch_first=True)


def train(data, model, optimizer, gpus):
    data.sort_by_length()
    sampler = DistributedSampler(data) if gpus > 1 else None
    loader = DataLoader(data, batch_size=32, shuffle=False, sampler=sampler, collate_fn=pad, num_workers=4)
    for _ in range(100):
        for batch in loader:
            loss = model(batch.cuda()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
