import torch
from texts import Encoder
from torch.utils.data import DataLoader


def main(model, optimizer, rows):
    encoder = Encoder("roberta-base")
    model.cuda()
    for batch in DataLoader(rows, batch_size=8, collate_fn=lambda rows: rows):
        ids = torch.tensor([encoder.ids(text) for text in batch]).cuda()
        model(ids).backward()
        optimizer.step()
        optimizer.zero_grad()
