import torchaudio
from torch.utils.data import Dataset
from torchaudio.transforms import MelSpectrogram
from torchvision import transforms as T
from transformers import WhisperFeatureExtractor


class Clips(Dataset):
    def __init__(self, files, rate):
        self.files = files
        self.rate = rate

    def __getitem__(self, i):
        wav, _ = torchaudio.load(self.files[i])
        wav = torchaudio.transforms.Resample(48000, self.rate)(wav)  # want SAT107 "Resample is built for every sample"
        mel = MelSpectrogram(sample_rate=self.rate, n_mels=80)(wav)  # want SAT107 "MelSpectrogram is built for every sample"
        extractor = WhisperFeatureExtractor(feature_size=80)  # want SAT107 "WhisperFeatureExtractor is built"
        return mel, extractor(wav), self.image(i)

    def image(self, i):
        transform = T.Compose([T.Resize(224), T.ToTensor()])  # want SAT107 "Compose is built"
        return transform(self.images[i])

    def __len__(self):
        return len(self.files)


def collate(batch):
    spectrogram = torchaudio.transforms.Spectrogram(400)  # want SAT107 "Spectrogram is built"
    return [spectrogram(x) for x in batch]
