from torch.utils.data import DataLoader


def feeder(data, size, workers):
    return DataLoader(data, batch_size=size, shuffle=True, num_workers=workers)


def growing(data, size):
    return DataLoader(data, batch_size=size, shuffle=True, num_workers=4)
