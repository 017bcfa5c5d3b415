import torch
from torch.utils.data import Dataset
from TTS.api import TTS


class Spoken(Dataset):
    """Power spectra of sentences that a neural voice speaks."""

    def __init__(self, texts, speaker="p225"):
        self.texts = texts
        self.engine = TTS("tts_models/en/vctk/vits")
        self.speaker = speaker
        self.window = torch.hann_window(256)

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        text = self.texts[i]
        wav = torch.as_tensor(self.engine.tts(text=text, speaker=self.speaker))
        wav = wav / wav.abs().max()
        spectrum = torch.stft(wav, 256, 128, window=self.window, return_complex=True).abs()
        return spectrum.mean(0), len(text)


def make_dataset(texts):
    return Spoken(texts)
