import random

import librosa
import soundfile as sf
import torchaudio
from torch.utils.data import Dataset

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
