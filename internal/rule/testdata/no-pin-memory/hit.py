import torch
from torch.utils.data import DataLoader
from torch.utils import data as tud
from functools import partial

device = torch.device("cuda")
PIN = False
loader_of = partial(DataLoader, num_workers=4)


def build(dataset, val_set, options):
    a = DataLoader(dataset, batch_size=16, num_workers=4)  # want SAT203 "pageable"
    b = tud.DataLoader(  # want SAT203 "pageable"
        dataset,
        num_workers=4,
        batch_size=16,
    )
    c = torch.utils.data.DataLoader(dataset, 16, True, num_workers=4, pin_memory=PIN)  # want SAT203 "pageable"
    d = loader_of(dataset)  # want SAT203 "pageable"
    e = DataLoader((dataset), num_workers=4)  # want SAT203 "pageable"
    f = DataLoader(dataset, pin_memory=False)  # saturate: ignore[SAT203] the host is short of memory
    g = DataLoader(  # want SAT203 "pageable"
        dataset,
        num_workers=4,
        drop_last=True,  # the last batch is ragged
    )
    return a, b, c, d, e, f, g
