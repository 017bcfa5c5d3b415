import torchaudio
from torch.utils.data import Dataset


def at_rate(wav, rate, target=16000):
    if rate == target:
        return wav
    return torchaudio.transforms.Resample(rate, target)(wav)  # want SAT107 "built for every sample, though files have few rates"


class Clips(Dataset):
    def __init__(self, files, rate):
        self.files, self.rate = files, rate

    def __getitem__(self, i):
        wav, rate = torchaudio.load(self.files[i])
        resample = torchaudio.transforms.Resample(rate, self.rate)  # want SAT107 "keep one|built for every sample"
        other, found = torchaudio.load(self.files[i] + ".noise")
        drawn = self.rates[i]
        varied = torchaudio.transforms.Resample(drawn, self.rate)
        return resample(wav), at_rate(other, found), varied(wav)

    def __len__(self):
        return len(self.files)
