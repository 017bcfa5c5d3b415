import numpy as np


def turned(image, rng):
    image = np.rot90(image, rng.integers(4))
    return image[:, ::-1] if rng.random() < 0.5 else image


def batches(images, labels, size, rng):
    order = rng.permutation(len(images))
    for i in range(0, len(order), size):
        idx = order[i : i + size]
        yield np.stack([turned(images[j], rng) for j in idx]), labels[idx]  # want SAT136 "one by one"
