import asyncio

import edge_tts
import numpy as np
import torch
from torch.utils.data import Dataset


class EdgeDataset(Dataset):
    def __init__(self, texts, voice="en-US-AriaNeural"):
        self.rows = [{"sentence": text, "length": len(text)} for text in texts]
        self.voice = voice

    def __len__(self):
        return len(self.rows)

    async def fetch(self, text):
        data = bytearray()
        async for chunk in edge_tts.Communicate(text, self.voice).stream():
            if chunk["type"] == "audio":
                data.extend(chunk["data"])
        return bytes(data)

    def __getitem__(self, index):
        row = self.rows[index]
        audio = asyncio.run(self.fetch(row["sentence"]))
        pcm = np.frombuffer(audio, dtype=np.int16, offset=44)
        return torch.from_numpy(pcm.astype(np.float32) / 32768.0), row["length"]


def make_dataset(texts):
    return EdgeDataset(texts)
