import torch
from torch.utils.data import DataLoader, TensorDataset


def batches():
    data = TensorDataset(torch.randn(4096, 512), torch.randint(10, (4096,)))
    return DataLoader(data, batch_size=256, pin_memory=True, num_workers=4)
