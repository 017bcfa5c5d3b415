from torch.utils.data import DataLoader


def make_loader(dataset, options):
    return DataLoader(dataset, num_workers=2, pin_memory=options["pin_memory"])  # want SAT203 "pageable"
