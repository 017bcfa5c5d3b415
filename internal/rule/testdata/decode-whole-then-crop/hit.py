import random

import librosa
import numpy as np
import soundfile as sf
import torchaudio
from scipy.io import wavfile
from torch.utils.data import DataLoader, Dataset

SECOND = 16000


class Clips(Dataset):
    def __init__(self, files, window):
        self.files = files
        self.window = window

    def __getitem__(self, i):
        wav, rate = torchaudio.load(self.files[i])  # want SAT109 "a whole file is decoded"
        wav = wav[:, :SECOND]
        return wav, rate, self.first(i), self.random(i), self.some(i)

    def first(self, i):
        audio, rate = sf.read(self.files[i], dtype="float32")  # want SAT109 "whole file is decoded"
        return audio[:16000], rate

    def random(self, i):
        wav, rate = torchaudio.load(self.files[i])  # want SAT109 "a whole file is decoded"
        if wav.size(1) > self.window:
            start = random.randint(0, wav.size(1) - self.window)
            wav = wav[:, start : start + self.window]
        return wav

    def some(self, i):
        y, _ = librosa.load(self.files[i], sr=None)  # want SAT109 "a whole file is decoded"
        y = y[len(y) // 2 : len(y) // 2 + self.window]
        return y

    def __len__(self):
        return len(self.files)


def read_wav(path):
    rate, audio = wavfile.read(path)  # want SAT109 "random part"
    return rate, audio.astype(np.float32) / 32768


class Segments(Dataset):
    def __init__(self, paths, length):
        self.paths, self.length = paths, length

    def __getitem__(self, i):
        return self.segment(i)

    def segment(self, i):
        rate, audio = read_wav(self.paths[i])
        if len(audio) < self.length:
            audio = np.pad(audio, (0, self.length - len(audio)))
        first = random.randint(0, len(audio) - self.length)
        start = first * 2
        return audio[start : start + self.length]


class Mels(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, i):
        mel = np.load(self.paths[i])  # want SAT109 "random part"
        return {"mel": mel}


def collate(samples):
    out = []
    for sample in samples:
        start = random.randint(0, 10)
        out.append(sample["mel"][:, start : start + 40])
    return np.stack(out)


loader = DataLoader(Mels([]), collate_fn=collate)
