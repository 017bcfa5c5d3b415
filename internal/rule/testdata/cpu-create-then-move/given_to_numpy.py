import numpy as np
import torch


def converter(data):
    if isinstance(data, torch.Tensor):
        data = data.cpu().data.numpy().flatten()
    return data.flatten()


class Accuracy:
    def __init__(self):
        self.correct = 0

    def update(self, predict, target):
        predict, target = converter(predict), converter(target)
        background = (predict == 0) + (target == 0)
        kept = np.logical_not(background)
        self.correct += np.sum(np.absolute(predict[kept] - target[kept]) < 2)  # NumPy computes with it: an array


def train(model, loader, optimizer):
    model.cuda()
    accuracy = Accuracy()
    for x, y in loader:
        out = model(x.cuda())
        out.mean().backward()
        optimizer.step()
        accuracy.update(torch.argmax(out, dim=1), y)
    return accuracy
