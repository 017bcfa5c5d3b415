import torch
from torch.utils.data import DataLoader


class Clips(DataLoader):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)  # who makes one gives it
        self.collate_fn = torch.stack


def train(model, data, optimizer):
    model.cuda()
    for x in Clips(data, batch_size=8, num_workers=4):  # want SAT203 "pageable"
        model(x.cuda()).mean().backward()
        optimizer.step()
