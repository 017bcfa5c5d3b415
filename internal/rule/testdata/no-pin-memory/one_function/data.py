from torch.utils.data import DataLoader


def loader(data, split):
    if split == 0:
        return DataLoader(data, batch_size=16, shuffle=True, num_workers=4, pin_memory=True)
    else:
        return DataLoader(data, batch_size=16, num_workers=4)
