import librosa
import numpy as np
from torch.utils.data import DataLoader, Dataset

from params import Params as hp


class Speech(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        if hp.cached:
            return np.load(self.paths[i] + ".npy")
        y, _ = librosa.load(self.paths[i], sr=22050)
        return librosa.feature.melspectrogram(y=y, sr=22050)  # want SAT104 "it needs not hp.cached"


def train(model, paths, optimizer):
    for epoch in range(100):
        for x in DataLoader(Speech(paths), batch_size=hp.batch_size, num_workers=4):
            model(x.cuda()).mean().backward()
            optimizer.step()
