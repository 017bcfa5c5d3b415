import functools

import pyloudnorm
import torchaudio
from torch.utils.data import Dataset, IterableDataset

TO_MEL = torchaudio.transforms.MelSpectrogram(16000)


@functools.lru_cache
def resampler(rate):
    return torchaudio.transforms.Resample(rate, 16000)


class Clips(Dataset):
    def __init__(self, files):
        self.files = files
        self.mel = torchaudio.transforms.MelSpectrogram(16000)
        self.other = None

    def __getitem__(self, i):
        wav, rate = torchaudio.load(self.files[i])
        if self.other is None:
            self.other = torchaudio.transforms.MFCC()
        varying = torchaudio.transforms.MelSpectrogram(rate)
        return self.mel(resampler(rate)(wav)), TO_MEL(wav), self.other(wav), varying

    def __len__(self):
        return len(self.files)


class Stream(IterableDataset):
    def __iter__(self):
        mel = torchaudio.transforms.MelSpectrogram(16000)
        for wav in self.source:
            yield mel(wav)


class Loud(Dataset):
    """A meter is a handful of filter coefficients."""

    def __getitem__(self, i):
        wav, rate = torchaudio.load(self.files[i])
        return pyloudnorm.Meter(16000).integrated_loudness(wav.numpy())
