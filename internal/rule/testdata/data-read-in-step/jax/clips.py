import librosa
import numpy as np
import soundfile


class Clips:
    def __init__(self, files, rng):
        self.files, self.rng = files, rng

    def frames(self, path):
        wave, _ = soundfile.read(path)  # want SAT127 "runs in the training loop"
        return librosa.feature.mfcc(y=wave, sr=16000)

    def draw(self, n):
        return np.stack([self.frames(path) for path in self.rng.choice(self.files, n)])

    def all(self, n):
        for i in range(0, len(self.files), n):
            yield np.stack([self.frames(path) for path in self.files[i : i + n]])
