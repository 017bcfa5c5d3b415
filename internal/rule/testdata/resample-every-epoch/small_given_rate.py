import librosa
from torch.utils.data import Dataset


class Clips(Dataset):
    def __init__(self, files, rate):
        self.files, self.rate = files, rate

    def __getitem__(self, i):
        whole, _ = librosa.load(self.files[i], sr=16000)  # want SAT108 "files that have this rate are not resampled"
        return whole

    def __len__(self):
        return len(self.files)


class ByPlace(Clips):
    def __getitem__(self, i):
        part, _ = librosa.load(self.files[i], self.rate)  # want SAT108 "files that have this rate are not resampled"
        return part
