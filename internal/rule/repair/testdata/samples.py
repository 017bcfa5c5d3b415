"""Data sets that do for every sample what can be done once, or go a long way round."""
# repairs: SAT106 SAT107 SAT116 SAT117
import json

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
from transformers import AutoFeatureExtractor, WhisperFeatureExtractor

WhisperFeatureExtractor(feature_size=40, chunk_length=1).save_pretrained("extractor")
np.save("mean.npy", np.linspace(-1, 1, 4))
with open("names.json", "w") as file:
    json.dump({"0": "zero", "1": "one", "2": "two", "3": "three"}, file)


class Clips(Dataset):
    def __init__(self, count, bins):
        self.waves = torch.randn(count, 1600, generator=torch.Generator().manual_seed(3))
        self.bins = bins

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, i):
        extractor = WhisperFeatureExtractor(feature_size=self.bins, chunk_length=1)
        saved = AutoFeatureExtractor.from_pretrained("extractor")
        mean = np.load("mean.npy")
        names = json.load(fp=open("names.json"))
        a = extractor(self.waves[i].numpy(), sampling_rate=16000).input_features[0]
        b = saved(self.waves[i].numpy(), sampling_rate=16000).input_features[0]
        turned = self.waves[i].view(40, 40).T
        copy = torch.tensor(turned.numpy())
        copy[0] = 0
        return torch.tensor([np.pad(x[:3], (1, 0)) for x in (a, b)]), copy, torch.as_tensor([mean[:4], np.zeros(4)]), len(names[str(i)])


for epoch in range(2):
    for features, copy, pair, length in DataLoader(Clips(4, 80), batch_size=2):
        print(features.dtype, tuple(features.shape), f"{features.double().sum():.3f}", copy.dtype, f"{copy.sum():.4f}", pair, length.tolist())
