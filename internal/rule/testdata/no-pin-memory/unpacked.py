import torch
from torch.utils.data import DataLoader


def train(model, data, optimizer, use_cuda):
    """What is unpacked holds the argument on a GPU: one more would be an error there, so there is no repair."""
    options = {"batch_size": 8}
    if use_cuda:
        options.update({"num_workers": 1, "pin_memory": True})
    train_loader = DataLoader(data, **options)
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    for x in train_loader:
        model(x.cuda()).mean().backward()
        optimizer.step()
