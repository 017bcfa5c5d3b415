import random

import librosa
from torch.utils.data import Dataset


class Noisy(Dataset):
    def __getitem__(self, i):
        audio, rate = librosa.load(self.paths[i])
        audio = audio + random.gauss(0, 1)
        return librosa.feature.melspectrogram(y=audio, sr=rate)  # want SAT126 "after a random change"
