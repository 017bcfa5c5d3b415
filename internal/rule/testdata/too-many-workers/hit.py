import multiprocessing
import os

from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader


def train(model, data, optimizer):
    model = DistributedDataParallel(model.cuda())
    loader = DataLoader(data, num_workers=os.cpu_count())  # want SAT208 "each CPU core"
    other = DataLoader(data, num_workers=multiprocessing.cpu_count())  # want SAT208 "each CPU core"
    fixed = DataLoader(data, num_workers=64)  # want SAT208 "64 workers"
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
    return other, fixed
