import io
import random

import numpy as np
import soundfile as sf
import torchaudio
from scipy.io import wavfile
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __init__(self, files):
        self.files = files
        wav, _ = torchaudio.load(files[0])
        self.sample = wav[:, :100]

    def __getitem__(self, i):
        window, rate = torchaudio.load(self.files[i], frame_offset=0, num_frames=16000)
        window = window[:, :8000]
        whole, _ = torchaudio.load(self.files[i])
        whole = whole / whole.abs().max()
        whole = whole[:, :16000]
        both, _ = sf.read(self.files[i])
        head = both[:100]
        mono, _ = torchaudio.load(self.files[i])
        mono = mono[0]
        return window, whole, head, both.mean(), mono, rate

    def __len__(self):
        return len(self.files)


def show(path):
    wav, _ = torchaudio.load(path)
    return wav[:, :16000]


class Piped(Dataset):
    def __getitem__(self, i):
        data, _ = sf.read(io.BytesIO(self.pipes[i].read()))
        data = data[:16000]
        return data

    def __len__(self):
        return 3


class Normalized(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, i):
        rate, audio = wavfile.read(self.paths[i])
        audio = audio / np.max(np.abs(audio))  # needs all of it
        start = random.randint(0, len(audio) - 100)
        return audio[start : start + 100]


class Mapped(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, i):
        mel = np.load(self.paths[i], mmap_mode="r")
        start = random.randint(0, 10)
        return mel[:, start : start + 40]


class Fixed(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, i):
        mel = np.load(self.paths[i])
        half = mel.shape[1] // 2
        return mel[:, half : half + 40] + mel.mean()
