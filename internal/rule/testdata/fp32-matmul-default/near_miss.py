import jax
import optax

jax.config.update("jax_default_matmul_precision", "tensorfloat32")
jax.config.update("jax_enable_x64", False)


@jax.jit
def step(params, state, batch):
    gradients = jax.grad(loss)(params, batch)
    updates, state = tx.update(gradients, state)
    return optax.apply_updates(params, updates), state


def train(params, state, batches):
    with jax.default_matmul_precision("bfloat16"):
        for batch in batches:
            params, state = step(params, state, batch)
    return params


def evaluate(params, batches):
    with jax.default_matmul_precision("float32"):
        return [loss(params, batch) for batch in batches]


def rotary(positions, frequencies):
    with jax.default_matmul_precision("float32"):
        return jax.numpy.outer(positions, frequencies)
