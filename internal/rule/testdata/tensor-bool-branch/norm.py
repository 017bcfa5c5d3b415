import numpy as np
import torch


def train(model, loader, optimizer):
    model.cuda()
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if np.isnan(norm):  # want SAT305 "np.isnan.norm. is decided on the host"
            print("not a number")
        optimizer.step()
