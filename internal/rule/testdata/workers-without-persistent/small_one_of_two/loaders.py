from torch.utils.data import DataLoader


def make(data, train):
    if train:
        return DataLoader(data, batch_size=8, shuffle=True, num_workers=4)  # want SAT202 "every epoch"
    else:
        return DataLoader(data, batch_size=1, num_workers=2)
