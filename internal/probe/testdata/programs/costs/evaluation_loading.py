"""An evaluation in every step that waits for its own data: that is not the training loop's wait."""

import torch
from hand import model, tell, timed, train
from torch.utils.data import DataLoader, Dataset


class Validation(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return decode(index)


@timed("function")
def decode(index):
    total = 0
    for i in range(15_000):
        total = (total * 31 + i) & 0xFFFF
    return torch.full((8,), float(total % 5))


@timed("part")
def evaluate():
    model.eval()
    with torch.inference_mode():
        for x in DataLoader(Validation(), batch_size=4):
            model(x)
    model.train()


train(DataLoader(torch.ones(100_000, 8), batch_size=4), after=evaluate)
tell()
