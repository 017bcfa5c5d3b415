import copy

import torch
from torch import nn


def store(model, path, half=True):
    dtype = torch.half if half else None
    torch.save({k: w.data.to(device="cpu", dtype=dtype) for k, w in model.state_dict().items()}, path)


def store_small(model, path):
    torch.save({k: w.half() for k, w in model.state_dict().items()}, path)


def store_copy(model, path):
    torch.save({"model": copy.deepcopy(model).half()}, path)


class Trainer:
    def __init__(self, model, speech):
        self.model = model.cuda()
        self.speech_model = speech.cuda().eval()
        self.speech_model = self.speech_model.half()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), fused=True)

    def features(self, wave):
        with torch.no_grad():
            return self.speech_model(wave.half()).float()

    def fit(self, loader):
        for wave, y in loader:
            x = self.features(wave.cuda(non_blocking=True))
            loss = nn.functional.mse_loss(self.model(x), y.cuda(non_blocking=True))  # want SAT401 "entirely in float32"
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        for keep in (store, store_small, store_copy):
            keep(self.model, "model.pt")


Trainer(nn.TransformerEncoderLayer(512, 8), nn.TransformerEncoderLayer(512, 8)).fit([])
