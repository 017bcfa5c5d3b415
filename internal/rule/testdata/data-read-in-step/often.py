"""Work of seconds on the CPU between the steps."""

import librosa
import numpy as np
import torch
import torch.nn as nn
from sklearn.manifold import TSNE


def sound(mel):
    return librosa.griffinlim(mel)


def train(loader, many):
    model = nn.Linear(80, 80).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    step = 0
    for epoch in range(100):
        for x in loader:
            out = model(x.cuda(non_blocking=True))
            loss = out.square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % 10 == 0:
                mels = out.detach().cpu().numpy()
                wavs = [librosa.feature.inverse.mel_to_audio(m) for m in mels]  # want SAT127 "every 10 steps"
                np.save("wavs.npy", np.stack(wavs))
            if step % 20 == 0:
                np.save("one.npy", sound(out[0].detach().cpu().numpy()))  # want SAT127 "griffinlim runs on the CPU every 20 steps"
            if step % 100 == 0:
                np.save("two.npy", sound(out[1].detach().cpu().numpy()))  # want SAT127 "griffinlim runs on the CPU every 100 steps"
            if step % 1000 == 0:
                np.save("rare.npy", sound(out[0].detach().cpu().numpy()))
            if step % many == 0:
                np.save("some.npy", sound(out[0].detach().cpu().numpy()))
        print(TSNE(2).fit_transform(out.detach().cpu().numpy()))
