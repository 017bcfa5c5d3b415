import jax
import jax.numpy as jnp
import numpy as np
from PIL import Image


def picture(path):
    return np.asarray(Image.open(path).resize((224, 224)))  # want SAT127 "nothing is loaded ahead"


def batches(paths, size):
    for s in range(0, len(paths), size):
        yield np.stack([picture(path) for path in paths[s : s + size]])


def held(paths):
    return np.stack([np.asarray(Image.open(path)) for path in paths])


@jax.jit
def update(params, x):
    loss, grads = jax.value_and_grad(lambda p: (x @ p).mean())(params)
    return params - grads, loss


def main(params, paths):
    kept = held(paths[:100])
    for epoch in range(10):
        for x in batches(paths, 32):
            params, loss = update(params, jnp.asarray(x))
        print(epoch, kept.shape)
