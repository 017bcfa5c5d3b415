from accelerate import Accelerator
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader


def train(model, data, optimizer):
    accelerator = Accelerator()
    loader = accelerator.prepare(DataLoader(data, shuffle=True))
    model = DistributedDataParallel(model)
    for x in loader:
        accelerator.backward(model(x).sum())
        optimizer.step()
