import os
import random

import librosa
import numpy as np
import soundfile
import torch
import torchaudio
from datasets import load_dataset
from torch.utils.data import Dataset
from transformers import AutoTokenizer, Wav2Vec2FeatureExtractor, WhisperFeatureExtractor

extractor = WhisperFeatureExtractor.from_pretrained("openai/whisper-small")


def prepare(row):
    row["input_features"] = extractor(row["audio"]["array"]).input_features[0]
    return row


data = load_dataset("org/clips").map(prepare)


class Cropped(Dataset):
    def __init__(self, files):
        self.files = files
        self.mel = torchaudio.transforms.MelSpectrogram(16000)
        self.scale = Wav2Vec2FeatureExtractor.from_pretrained("facebook/wav2vec2-base")

    def __getitem__(self, i):
        audio, _ = soundfile.read(self.files[i])
        start = random.randint(0, len(audio) - 16000)
        audio = audio[start : start + 16000]
        return self.mel(torch.from_numpy(audio)), self.scale(audio)

    def __len__(self):
        return len(self.files)


class Noisy(Dataset):
    def __getitem__(self, i):
        audio = self.add_noise(self.audio[i])
        clips = []
        for part in audio:
            clips.append(random_subsample(part))
        return librosa.feature.melspectrogram(y=audio), extractor(clips)

    def __len__(self):
        return len(self.audio)


class Kept(Dataset):
    def __getitem__(self, i):
        path = self.files[i] + ".npy"
        if os.path.exists(path):
            return np.load(path)
        mel = librosa.feature.melspectrogram(y=self.audio[i])
        np.save(path, mel)
        return mel

    def __len__(self):
        return len(self.files)


def random_subsample(wav):
    return wav[random.randint(0, 9) :]


def evaluate(model, audio):
    return model(librosa.feature.mfcc(y=audio))


def speed_perturb(sample):
    sample["speed"] = random.choice([0.9, 1.0, 1.1])
    return sample


def compute_fbank(sample):
    return torchaudio.compliance.kaldi.fbank(sample["wav"])


stream = load_dataset("org/clips", streaming=True).map(speed_perturb).map(compute_fbank)
