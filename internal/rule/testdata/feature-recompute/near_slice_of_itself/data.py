import librosa
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __init__(self, files, features=None):
        self.files = files
        self.features = features or [librosa.feature.melspectrogram(y=np.load(f)) for f in files]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return Clips(self.files[i])
        return self.features[i]


def loader(files):
    return DataLoader(Clips(files), batch_size=8, num_workers=2)
