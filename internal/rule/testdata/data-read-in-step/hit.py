import numpy as np
import soundfile as sf
import torch


def draw(paths, size):
    batch = np.zeros([len(paths), size])
    for i, path in enumerate(np.random.choice(paths, 8)):
        signal, rate = sf.read(path)  # want SAT127 "sf.read runs in the training loop"
        batch[i] = signal[:size]
    return torch.from_numpy(batch).float().cuda()


def fit(model, optimizer, paths):
    for step in range(10000):
        x = draw(paths, 16000)
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
