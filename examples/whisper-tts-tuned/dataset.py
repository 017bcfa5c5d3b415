"""The training set: features and labels that were prepared ahead, read a whole batch at a time."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class PreparedClips(Dataset):
    def __init__(self, folder):
        self.features = np.load(folder / "features.npy", mmap_mode="r")
        self.labels = np.load(folder / "labels.npy")

    def __len__(self):
        return len(self.features)

    def __getitems__(self, indices):
        return {
            "input_features": torch.from_numpy(self.features[indices]),
            "labels": torch.from_numpy(self.labels[indices]),
        }


def whole(batch):
    return batch


def make_loader(dataset, batch_size, sampler, device):
    """Pinned batches from worker processes for a GPU; on a CPU the read is cheaper than handing it over."""
    ahead = {}
    if device.type == "cuda":
        ahead = {"num_workers": 4, "prefetch_factor": 4, "persistent_workers": True, "pin_memory": True}
    return DataLoader(
        dataset, batch_size=batch_size, sampler=sampler, collate_fn=whole, drop_last=True, **ahead
    )
