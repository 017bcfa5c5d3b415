import torch
from torch.utils.data import Dataset, Subset

from lib.spoken import Spoken


class Batches(Spoken, Dataset):
    """Samples that the loader asks for a batch at a time."""

    def __len__(self):
        return len(self.texts)

    def __getitems__(self, indices):
        return [(torch.tensor(self.speak(self.texts[i])), len(self.texts[i])) for i in indices]


def make_dataset(texts):
    return Subset(Batches(texts), range(len(texts)))
