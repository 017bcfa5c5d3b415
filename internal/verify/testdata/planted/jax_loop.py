"""A loop of JAX over batches of numpy. The argument says what is wrong with them."""

import sys

import jax
import jax.numpy as jnp
import numpy as np

wrong = sys.argv[1]


def batch(number):
    random = np.random.RandomState(number)
    x, y = random.randn(8, 16).astype("float32"), random.randint(0, 4, 8)
    if wrong == "labels":
        y = np.roll(y, 1)
    if wrong == "features":
        x = x[:, ::-1].copy()
    return x, y


@jax.jit
def step(w, x, y):
    def loss(w):
        return -jnp.mean(jax.nn.log_softmax(x @ w)[jnp.arange(8), y])

    value, slope = jax.value_and_grad(loss)(w)
    return w - 0.1 * slope, value


w = jnp.zeros((16, 4))
for number in range(40):
    w, value = step(w, *batch(number))
