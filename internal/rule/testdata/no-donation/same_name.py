import jax
import jax.numpy as jnp


def predict(params, inputs):
    """Another state of the same name, that nobody holds on to."""
    for w, b in params[:-1]:
        inputs = jnp.tanh(inputs @ w + b)
    last_w, last_b = params[-1]
    return inputs @ last_w + last_b


def loss(params, batch):
    return jnp.mean((predict(params, batch[0]) - batch[1]) ** 2)


if __name__ == "__main__":

    @jax.jit  # want SAT804 "old state"
    def update(params, batch):
        gradients = jax.grad(loss)(params, batch)
        return [(w - 0.1 * dw, b - 0.1 * db) for (w, b), (dw, db) in zip(params, gradients)]

    params = init()
    for epoch in range(3):
        for _ in range(100):
            params = update(params, next(batches))
