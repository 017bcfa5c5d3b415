# Training imports its data set from here, so this is part of training whatever the file is called.
import librosa
import numpy as np
from torch.utils.data import Dataset


class Clips(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        audio, rate = librosa.load(self.files[i])
        return librosa.feature.melspectrogram(y=audio, sr=rate)  # want SAT104 "every epoch"


if __name__ == "__main__":
    np.save("first.npy", Clips(["one.wav"])[0])
