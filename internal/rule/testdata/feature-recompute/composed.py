from functools import partial

import torch
import torchaudio
from torch.utils.data import DataLoader


class Load(torch.nn.Module):
    def forward(self, path):
        wav, rate = torchaudio.load(path)
        return torchaudio.compliance.kaldi.fbank(wav, sample_frequency=rate)  # want SAT104 "every epoch"


class Unused(torch.nn.Module):
    def forward(self, wav):
        return torchaudio.compliance.kaldi.fbank(wav)


def transform():
    parts = [Load()]
    return torch.nn.Sequential(*parts), 80


def collate(batch, audio):
    return torch.nn.utils.rnn.pad_sequence([audio(path) for path, _ in batch]), [text for _, text in batch]


def loaders(data):
    audio, size = transform()
    return DataLoader(data, batch_size=8, collate_fn=partial(collate, audio=audio), num_workers=2)


def fit(model, data, optimizer):
    for x, text in loaders(data):
        loss = model(x.cuda(), text)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
