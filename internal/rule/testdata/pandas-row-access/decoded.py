import librosa
import pandas as pd
from torch.utils.data import Dataset


def load(path):
    return librosa.load(path, sr=16000)[0]


class Recordings(Dataset):
    def __init__(self, path):
        self.frame = pd.read_csv(path)

    def __getitem__(self, index):
        row = self.frame.iloc[index]  # beside decoding it costs nothing
        return load(row["path"]), row["text"]

    def __len__(self):
        return len(self.frame)
