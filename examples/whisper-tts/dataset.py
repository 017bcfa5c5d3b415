"""The training set: sentences, spoken, and their tokens."""

import torch
from torch.utils.data import Dataset
from transformers import PreTrainedTokenizerFast, WhisperFeatureExtractor

from speech import RATE, speak


def load_tokenizer(path):
    return PreTrainedTokenizerFast(
        tokenizer_file=str(path),
        bos_token="<|startoftranscript|>",
        eos_token="<|endoftext|>",
        pad_token="<|pad|>",
    )


class SpokenTexts(Dataset):
    def __init__(self, texts, tokenizer, voice, mel_bins, clip_seconds):
        self.texts = texts
        self.tokenizer = tokenizer
        self.voice = voice
        self.extractor = WhisperFeatureExtractor(
            feature_size=mel_bins, sampling_rate=RATE, chunk_length=clip_seconds
        )

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        text = self.texts[index]
        audio = speak(text, self.voice)
        features = self.extractor(audio, sampling_rate=RATE, return_tensors="pt").input_features[0]
        labels = self.tokenizer(text, return_tensors="pt").input_ids[0]
        return {"input_features": features, "labels": labels}


def collate(samples):
    """Stacks the features and pads the labels with -100, which the loss leaves out."""
    features = torch.stack([sample["input_features"] for sample in samples])
    labels = [sample["labels"] for sample in samples]
    labels = torch.nn.utils.rnn.pad_sequence(labels, batch_first=True, padding_value=-100)
    return {"input_features": features, "labels": labels}
