import librosa
import torch


def batches(paths):
    while True:
        for path in paths:
            wav, rate = librosa.load(path)
            yield torch.from_numpy(librosa.feature.mfcc(y=wav, sr=rate))  # want SAT104 "every epoch"


def fit(model, optimizer, paths):
    for x in batches(paths):
        loss = model(x.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def show(paths):
    for path in paths:
        wav, rate = librosa.load(path)
        print(librosa.feature.mfcc(y=wav, sr=rate).mean())
