"""__init__ is no place for the object: it may not run to its end, or not before the method, or what it reads changes."""
from torch.utils.data import Dataset
from transformers import WhisperFeatureExtractor


class ReadsItself(Dataset):
    def __init__(self, waves):
        self.waves = waves
        self.shape = self[0].shape

    def __getitem__(self, i):
        return WhisperFeatureExtractor(feature_size=80)(self.waves[i])  # want SAT107 "built for every sample"

    def __len__(self):
        return len(self.waves)


class CallsItself(Dataset):
    def __init__(self, waves):
        self.waves = waves
        self.prepare()

    def prepare(self):
        self.first = self.features(self.waves[0])

    def features(self, wave):
        return WhisperFeatureExtractor(feature_size=80)(wave)  # want SAT107 "built for every sample"

    def __getitem__(self, i):
        return self.features(self.waves[i])

    def __len__(self):
        return len(self.waves)


class ReturnsEarly(Dataset):
    def __init__(self, waves, count):
        self.waves = waves
        if not count:
            return
        self.total = sum(map(len, waves))

    def __getitem__(self, i):
        return WhisperFeatureExtractor(feature_size=80)(self.waves[i])  # want SAT107 "built for every sample"

    def __len__(self):
        return len(self.waves)


class Base(Dataset):
    def __init__(self, waves):
        self.waves = waves

    def __getitem__(self, i):
        return WhisperFeatureExtractor(feature_size=80)(self.waves[i])  # want SAT107 "built for every sample"

    def __len__(self):
        return len(self.waves)


class Long(Base):
    def __init__(self, waves):
        self.waves = [w for w in waves if len(w) > 16000]


class Narrow(Dataset):
    bins = 80

    def __init__(self, waves):
        self.waves = waves

    def __getitem__(self, i):
        return WhisperFeatureExtractor(feature_size=self.bins)(self.waves[i])  # want SAT107 "built for every sample"

    def __len__(self):
        return len(self.waves)


class Wide(Narrow):
    def __init__(self, waves):
        super().__init__(waves)
        self.bins = 128


class SetOutside(Dataset):
    def __init__(self, waves):
        self.waves = waves
        self.channels = 80

    def __getitem__(self, i):
        return WhisperFeatureExtractor(feature_size=self.channels)(self.waves[i])  # want SAT107 "built for every sample"

    def __len__(self):
        return len(self.waves)


def make(waves):
    data = SetOutside(waves)
    data.channels = 128
    return data
