import itertools

import cv2
import numpy as np
import soundfile as sf
import torch
from torch.utils.data import Dataset


def indexed(mask, palette):
    h, w, _ = mask.shape
    out = np.zeros((h, w), dtype=np.int64)
    for y in range(h):  # want SAT125 "goes through"
        for x in range(w):
            out[y, x] = palette[tuple(mask[y, x])]
    return out


def frames(wav):
    spectra = []
    for start in range(0, len(wav) - 400, 160):  # want SAT125 "goes through wav"
        spectra.append(np.abs(np.fft.rfft(wav[start:start + 400])))
    return np.stack(spectra)


def deltas(feature):
    out = np.zeros_like(feature)
    for t in range(len(feature)):  # want SAT125 "goes through feature"
        low, high = max(0, t - 2), min(len(feature) - 1, t + 2)
        out[t] = feature[t] * (high - low)
    return out


def smoothed(wav):
    out = np.zeros_like(wav)
    for t in range(1, len(wav)):  # each value needs the one before
        out[t] = 0.9 * out[t - 1] + 0.1 * wav[t]
    return out


def classes(mask, lookup):
    h, w = mask.shape[:2]
    out = np.zeros((h, w), dtype=np.int64)
    for y in range(h):  # want SAT125 "one element at a time"
        for x in range(w):
            out[y, x] = lookup.get(tuple(mask[y, x]), 0)
    return out


def crossed(mask):
    h, w, _ = mask.shape
    out = np.zeros((h, w))
    for y, x in itertools.product(range(h), range(w)):  # want SAT125 "one element at a time"
        out[y, x] = mask[y, x].max()
    for y, x in itertools.product((0, 1), (0, 1)):
        out[y, x] = 0
    return out


def indexes(mask):
    out = np.zeros(mask.shape[:2])
    for y, x in np.ndindex(*out.shape):  # want SAT125 "one element at a time"
        out[y, x] = mask[y, x].max()
    return out


class Scenes(Dataset):
    def __init__(self, files, boxes, palette):
        self.files, self.boxes, self.palette = files, boxes, palette

    def __getitem__(self, i):
        image = cv2.imread(self.files[i])
        wav, rate = sf.read(self.files[i] + ".wav")
        x = np.zeros((3, 64, 64), np.float32)
        for c in range(3):
            x[c] = image[..., c] / 255
        target = []
        for box in self.boxes[i]:
            target.append([box["x"] / 64, box["y"] / 64])
        return x, indexed(image, self.palette), frames(wav), deltas(frames(wav)), smoothed(wav), torch.tensor(target), classes(image, {}), crossed(image), indexes(image)

    def __len__(self):
        return len(self.files)
