import numpy as np
import torch


def train(model, loader, optimizer):
    model.cuda()
    for batch in loader:
        x = batch.cuda()
        out = model(x)
        one = out[:, np.random.choice(np.arange(out.shape[1]), p=[0.5, 0.5])]
        some = out[np.random.choice(8, 4)]  # want SAT312 "is created on the host"
        loss = one.mean() + some.mean()
        loss.backward()
        optimizer.step()
