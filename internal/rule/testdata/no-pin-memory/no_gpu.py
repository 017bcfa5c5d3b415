from torch.utils.data import DataLoader


def build(dataset):
    return DataLoader(dataset)
