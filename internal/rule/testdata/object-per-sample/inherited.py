"""A derived class that calls __init__, and methods that do not get to the object: the repair holds."""
from torch.utils.data import Dataset
from transformers import WhisperFeatureExtractor


class Clips(Dataset):
    def __init__(self, waves):
        super().__init__()
        self.waves = waves
        self.lengths = self.measure()

    def measure(self):
        return [len(w) for w in self.waves]

    def __getitem__(self, i):
        return WhisperFeatureExtractor(feature_size=80)(self.waves[i])  # want SAT107 "built for every sample"

    def __len__(self):
        return len(self.waves)


class Long(Clips):
    def __init__(self, waves):
        super().__init__([w for w in waves if len(w) > 16000])
        self.long = True


class Named(Clips):
    name = "clips"
