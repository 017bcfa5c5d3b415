import random

import torch
from torch.utils.data import DataLoader, Dataset
from transformers import WhisperProcessor


class Phrases(Dataset):
    def __init__(self, phrases, processor, voices):
        self.phrases, self.processor, self.voices = phrases, processor, voices

    def __len__(self):
        return len(self.phrases)

    def __getitem__(self, i):
        wav = torch.load(self.phrases[i] + random.choice(self.voices))
        extractor = self.processor.feature_extractor
        pad = self.processor.tokenizer.pad_token_id
        return extractor(wav.numpy(), sampling_rate=16000).input_features[0], pad  # want SAT126 "after a random change"


def main(phrases, voices):
    processor = WhisperProcessor.from_pretrained("openai/whisper-small")
    return DataLoader(Phrases(phrases, processor, voices), batch_size=8)
