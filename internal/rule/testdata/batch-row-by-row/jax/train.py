import jax
import jax.numpy as jnp
import numpy as np
import optax
from data import batches


def loss_fn(params, x, y):
    return optax.softmax_cross_entropy_with_integer_labels(x.reshape(len(x), -1) @ params, y).mean()


@jax.jit
def update(params, state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    updates, state = optax.adam(1e-3).update(grads, state)
    return optax.apply_updates(params, updates), state, loss


def main(images, labels):
    rng = np.random.default_rng(0)
    params = jnp.zeros((3072, 10))
    state = optax.adam(1e-3).init(params)
    for epoch in range(100):
        for x, y in batches(images, labels, 256, rng):
            params, state, loss = update(params, state, jnp.asarray(x), jnp.asarray(y))


if __name__ == "__main__":
    with np.load("train.npz") as f:
        main(f["x"], f["y"])
