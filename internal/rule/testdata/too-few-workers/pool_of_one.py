from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import numpy as np
from PIL import Image


def load(path):
    return np.asarray(Image.open(path).resize((28, 28)), np.float32).reshape(-1)


class Images:
    def __init__(self, paths, threads=1):
        self.paths = paths
        self.pool = ThreadPoolExecutor(threads)  # want SAT210 "one worker loads all samples"
        self.writer = ThreadPoolExecutor(8)

    def __iter__(self):
        while True:
            part = np.random.randint(0, len(self.paths), 64)
            yield np.stack(list(self.pool.map(lambda i: load(self.paths[i]), part)))


@jax.jit
def step(params, x):
    return params - 0.1 * jax.grad(lambda p: jnp.mean(x @ p))(params)


def train(params, paths):
    for x in Images(paths):
        params = step(params, x)
    return params
