import os
import tempfile
import wave

import numpy as np
import torch
from torch.utils.data import Dataset
from TTS.api import TTS


def to_file(engine, text):
    handle, path = tempfile.mkstemp(suffix=".wav")
    os.close(handle)
    engine.tts_to_file(text=text, file_path=path)
    return path


class FromFiles(Dataset):
    def __init__(self, texts):
        self.texts = texts
        self.engine = TTS("ljspeech")

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        path = to_file(self.engine, self.texts[i])
        with wave.open(path) as file:
            frames = file.readframes(file.getnframes())
        os.remove(path)
        return torch.tensor(np.frombuffer(frames, dtype=np.int16)), len(self.texts[i])


def make_dataset(texts):
    return FromFiles(texts)
