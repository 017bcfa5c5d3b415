import os

import numpy as np
import requests
import torch
from torch.utils.data import Dataset

TTS_URL = os.environ.get("TTS_URL", "http://localhost:5002") + "/api/tts"


class ServedSpeech(Dataset):
    def __init__(self, texts):
        self.texts = texts

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        text = self.texts[index]
        response = requests.post(TTS_URL, json={"text": text, "voice": "nova"}, timeout=60)
        response.raise_for_status()
        payload = response.content
        samples = np.frombuffer(payload, dtype="<i2", offset=44)
        return torch.tensor(samples / 32768.0, dtype=torch.float32), len(text)


def make_dataset(texts):
    return ServedSpeech(texts)
