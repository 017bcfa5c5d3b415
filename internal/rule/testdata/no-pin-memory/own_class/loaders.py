from torch.utils.data import DataLoader


class BaseLoader(DataLoader):
    def __init__(self, dataset, batch_size, num_workers):
        super().__init__(dataset, batch_size=batch_size, num_workers=num_workers)  # want SAT203 "pageable"


class PinnedLoader(DataLoader):
    def __init__(self, dataset, batch_size, **kwargs):
        super().__init__(dataset, batch_size=batch_size, pin_memory=True)
