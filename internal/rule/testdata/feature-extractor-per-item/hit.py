import librosa
import torch
from torch.utils.data import DataLoader
from transformers import WhisperFeatureExtractor

extractor = WhisperFeatureExtractor.from_pretrained("openai/whisper-small")


def collate(samples):
    features = [extractor(s["audio"], sampling_rate=16000).input_features[0] for s in samples]  # want SAT124 "sample by sample"
    mels = []
    for s in samples:
        mels.append(librosa.feature.melspectrogram(y=s["audio"]))  # want SAT124 "sample by sample"
    return torch.stack(features), mels


loader = DataLoader([], collate_fn=collate)
