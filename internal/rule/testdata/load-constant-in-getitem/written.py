"""A file that the sample's own code writes has one name and another content for every sample: nothing to load once."""
import asyncio
import io
import os
import subprocess

import edge_tts
import numpy as np
import pyttsx3
import soundfile as sf
import torch
import torchaudio
from torch.utils.data import Dataset

OUT = "out.wav"


class Tool(Dataset):
    def __init__(self, files):
        self.files = files
        self.out = "feat.txt"

    def __getitem__(self, i):
        subprocess.run(["extract", self.files[i], "feat.txt"], check=True)
        first = np.loadtxt("feat.txt")
        with open(self.out) as f:
            return first, f.read()

    def __len__(self):
        return len(self.files)


class Shell(Dataset):
    def __getitem__(self, i):
        os.system("ffmpeg -y -i %d.mp3 %s" % (i, OUT))
        return sf.read(OUT)[0]

    def __len__(self):
        return 10


class Helper(Dataset):
    def __getitem__(self, i):
        run_tool(i)
        return torch.load("row.pt")

    def __len__(self):
        return 10


def run_tool(i):
    subprocess.check_call(["tool", str(i)])


class Written(Dataset):
    def __init__(self, clips):
        self.clips = clips
        self.engine = pyttsx3.init()
        self.path = "speech.wav"

    def __getitem__(self, i):
        sf.write("clip.wav", self.clips[i], 16000)
        clip = sf.read("clip.wav")[0]
        torchaudio.save(OUT, self.clips[i], 16000)
        again = torchaudio.load(OUT)[0]
        np.save("row.npy", self.clips[i])
        row = np.load("row.npy")
        with open("row.txt", "w") as f:
            f.write(str(i))
        text = np.loadtxt("row.txt")
        self.engine.save_to_file(str(i), self.path)
        self.engine.runAndWait()
        spoken = sf.read(self.path)[0]
        asyncio.run(edge_tts.Communicate(str(i)).save("edge.mp3"))
        edge = torchaudio.load("edge.mp3")[0]
        buffer = io.BytesIO()
        buffer.write(self.clips[i].tobytes())
        held = torch.load(buffer)
        return clip, again, row, text, spoken, edge, held

    def __len__(self):
        return len(self.clips)


class Steady(Dataset):
    """What is only read is found still, beside something else that is written."""

    def __getitem__(self, i):
        np.save("row.npy", np.zeros(i))
        if not os.path.exists("mean.npy"):
            return None
        mean = np.load("mean.npy")  # want SAT106 "same file"
        return mean + i

    def __len__(self):
        return 10
