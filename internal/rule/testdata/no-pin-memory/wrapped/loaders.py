from torch.utils.data import DataLoader


def loader(data, *args, shuffle=False, klass=DataLoader, **kwargs):
    return klass(data, *args, shuffle=shuffle, **kwargs)  # want SAT203 "pageable"


def pinned(data, **kwargs):
    return DataLoader(data, **kwargs)
