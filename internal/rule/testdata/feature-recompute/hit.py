import librosa
import pyworld
import soundfile
import torch
import torchaudio
from torch.utils.data import Dataset
from transformers import WhisperFeatureExtractor, WhisperProcessor


class Speech(Dataset):
    def __init__(self, files):
        self.files = files
        self.extractor = WhisperFeatureExtractor.from_pretrained("openai/whisper-small")
        self.processor = WhisperProcessor.from_pretrained("openai/whisper-small")
        self.mel = torchaudio.transforms.MelSpectrogram(16000)

    def __getitem__(self, i):
        audio, rate = soundfile.read(self.files[i])
        features = self.extractor(audio, sampling_rate=rate)  # want SAT104 "same features"
        again = self.processor(audio, sampling_rate=rate)  # want SAT104 "same features"
        third = self.processor.feature_extractor(audio)  # want SAT104 "same features"
        mel = self.mel(torch.from_numpy(audio))  # want SAT104 "same features"
        mfcc = librosa.feature.mfcc(y=audio, sr=rate)  # want SAT104 "same features"
        return features, again, third, mel, mfcc, self.pitch(audio, rate)

    def pitch(self, audio, rate):
        return pyworld.harvest(audio, rate)  # want SAT104 "same features"

    def __len__(self):
        return len(self.files)


class STFT:
    def mel_spectrogram(self, audio):
        return torch.nn.functional.conv1d(audio, self.basis)


class Mel(Dataset):
    def __init__(self, files):
        self.files = files
        self.stft = STFT()

    def __getitem__(self, i):
        audio, _ = soundfile.read(self.files[i])
        return self.stft.mel_spectrogram(audio)  # want SAT104 "same features"

    def __len__(self):
        return len(self.files)
