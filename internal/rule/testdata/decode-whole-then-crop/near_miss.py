import io
import random

import soundfile as sf
import torchaudio
from torch.utils.data import Dataset


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
