import os
import subprocess

import numpy as np
import whisper
from torch.utils.data import Dataset


class Speech(Dataset):
    def __init__(self, files):
        self.files = files
        self.pipe = subprocess.Popen(["decoder"], stdin=subprocess.PIPE)

    def __getitem__(self, i):
        wav = self.files[i] + ".wav"
        if not os.path.exists(wav):
            subprocess.run(["ffmpeg", "-i", self.files[i], wav])
        try:
            return np.load(self.files[i] + ".npy")
        except FileNotFoundError:
            audio = whisper.load_audio(self.files[i])
            np.save(self.files[i] + ".npy", audio)
            return audio

    def __len__(self):
        return len(self.files)


def prepare(files):
    for path in files:
        subprocess.run(["sox", path, "-r", "16000", path + ".wav"])
