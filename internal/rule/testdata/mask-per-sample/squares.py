import torch
from torch.utils.data import DataLoader


def collate(samples):
    x = torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)
    lengths = [len(s) for s in samples]
    mask = torch.ones(x.shape[0], x.shape[1], x.shape[1])  # want SAT130 "mask of lengths"
    for i, n in enumerate(lengths):
        mask[i, :, :n] = 0
    distances = torch.zeros(x.shape[0], x.shape[1], x.shape[1])
    for i, s in enumerate(samples):
        distances[i, : len(s), : len(s)] = torch.cdist(s, s)
    return x, mask.bool(), distances


def train(model, optimizer, data):
    model.cuda()
    for x, mask, distances in DataLoader(data, batch_size=16, collate_fn=collate, num_workers=4):
        loss = model(x.cuda(), mask.cuda(), distances.cuda()).mean()
        loss.backward()
        optimizer.step()
