import random

import librosa
import torchaudio
import torchaudio.functional as F
from datasets import Audio, load_dataset
from torch.utils.data import Dataset

data = load_dataset("org/clips").cast_column("audio", Audio(sampling_rate=16000))


class Clips(Dataset):
    def __init__(self, files):
        self.files = files
        self.first = librosa.load(files[0], sr=16000)

    def __getitem__(self, i):
        a, _ = librosa.load(self.files[i], sr=None)
        wav, rate = torchaudio.load(self.files[i])
        speed = random.choice([0.9, 1.0, 1.1])
        faster = F.resample(wav, rate, int(rate * speed))
        return a, faster

    def __len__(self):
        return len(self.files)


def convert(path):
    wav, rate = torchaudio.load(path)
    return F.resample(wav, rate, 16000)


class InMemory(Dataset):
    def __getitem__(self, i):
        if i not in self.audio:
            self.audio[i] = librosa.load(self.files[i], sr=16000)[0]
        return self.audio[i]

    def __len__(self):
        return 3
