import torch
from torch.utils.data import DataLoader

device = torch.device("cuda")


def build(dataset, val_set, options):
    pinned = DataLoader(dataset, batch_size=16, pin_memory=True)
    hidden = DataLoader(dataset, **options)
    by_position = DataLoader(dataset, 16, True, None, None, 4, None, True)
    kwargs = {"pin_memory": True}
    by_dict = DataLoader(dataset, **kwargs)
    val_loader = DataLoader(val_set, batch_size=16)
    return pinned, hidden, by_position, by_dict, val_loader


def evaluate(dataset):
    return DataLoader(dataset)


def DataLoader2(dataset):
    return DataLoader2(dataset)


def main(prompts, pipeline, pinned, model):
    sample_dataloader = DataLoader(prompts, batch_size=4)
    images = [pipeline(batch["prompt"]) for batch in sample_dataloader]
    for x in pinned:
        model(x.to(device)).mean().backward()
    return images
