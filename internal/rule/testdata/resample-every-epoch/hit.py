import librosa
import soundfile
import torchaudio
import torchaudio.functional as F
from torch.utils.data import Dataset

RATE = 16000


class Clips(Dataset):
    def __init__(self, files):
        self.files = files
        self.to_rate = torchaudio.transforms.Resample(48000, RATE)

    def __getitem__(self, i):
        path = self.files[i]
        b, _ = librosa.load(path)  # want SAT108 "22050 Hz"
        wav, rate = torchaudio.load(path)
        c = F.resample(wav, rate, RATE)  # want SAT108 "audio is resampled in every epoch"
        d = self.to_rate(wav)  # want SAT108 "audio is resampled in every epoch"
        if rate != RATE:
            wav = F.resample(wav, rate, RATE)  # want SAT108 "at a different rate"
        return b, c, d, wav

    def __len__(self):
        return len(self.files)
