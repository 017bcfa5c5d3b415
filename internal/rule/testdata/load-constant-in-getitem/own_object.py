"""An object that is made or chosen for the sample has a path of its own; one that all samples share has not."""
import numpy as np
import torchaudio
from torch.utils.data import Dataset


class Clip:
    def __init__(self, path):
        self.path = path
        self.wave = None
        self.read()

    def read(self):
        self.wave, _ = torchaudio.load(self.path)


class LongClip(Clip):
    def __init__(self, path):
        super().__init__(path)
        self.mask = np.load(self.path + ".mask")


class Stored:
    def __init__(self, path):
        self.path = path

    def read(self):
        return np.load(self.path)

    def __call__(self, wave):
        return wave - np.load(self.path)


class Mean:
    def __init__(self, path):
        self.path = path

    def read(self):
        return np.load(self.path)  # want SAT106 "same file"

    def __call__(self, wave):
        return wave - np.load(self.path + ".mean")  # want SAT106 "same file"


class Scale:
    def __init__(self, path):
        self.path = path
        self.scale = np.load(self.path)  # want SAT106 "same file"


class Clips(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self.stored = [Stored(path) for path in paths]
        self.mean = Mean("mean.npy")

    def __getitem__(self, i):
        clip, long = Clip(self.paths[i]), LongClip(self.paths[i])
        stored: Stored = self.stored[i]
        offset = stored.read() + stored(clip.wave)
        return self.mean(clip.wave) - self.mean.read() + offset, Scale("scale.npy").scale, long.mask

    def __len__(self):
        return len(self.paths)
