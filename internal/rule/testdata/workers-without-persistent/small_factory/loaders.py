from torch.utils.data import DataLoader


def get_loader(data):
    return DataLoader(data, batch_size=16, num_workers=4)  # want SAT202 "restarted in every epoch"


def get_train_stream(data):
    return DataLoader(data, batch_size=16, num_workers=4)  # want SAT202 "restarted in every epoch"


def get_train_once(data):
    return DataLoader(data, batch_size=16, num_workers=4)


def get_train_kept(data):
    return DataLoader(data, batch_size=16, num_workers=4, persistent_workers=True)


def get_train_handed(data):
    return DataLoader(data, batch_size=16, num_workers=4)  # want SAT202 "restarted in every epoch"
