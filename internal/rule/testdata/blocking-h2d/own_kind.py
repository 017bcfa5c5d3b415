import torch
from torch.utils.data import DataLoader


class Padded:
    """A batch of its own kind, whose to() does not take non_blocking: no repair."""

    def __init__(self, tensors, mask):
        self.tensors, self.mask = tensors, mask

    def to(self, device):
        return Padded(self.tensors.to(device), self.mask.to(device))


def train(model, data, optimizer, collate):
    loader = DataLoader(data, collate_fn=collate, num_workers=2, pin_memory=True)
    model.cuda()
    for samples, y in loader:
        samples = samples.to("cuda")  # want SAT311 "waits for the copy"
        loss = model(samples).mean()
        loss.backward()
        optimizer.step()
