"""Results that a comprehension or a loop reads one by one."""

import jax
import jax.numpy as jnp
import optax


@jax.jit
def step(params, x):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((x @ p) ** 2))(params)
    return params - 0.1 * grads, {"loss": loss, "norm": optax.global_norm(grads)}


def train(params, batches, schedule):
    history = []
    for i, x in enumerate(batches):
        params, metrics = step(params, x)
        history.append({k: float(v) for k, v in metrics.items()})  # want SAT803 "float.v. waits"
    return params, history


def train_printing(params, batches, rates):
    for i, x in enumerate(batches):
        params, metrics = step(params, x)
        for name, value in metrics.items():
            print(name, value.item())  # want SAT803 "value.item.. waits"
        shown = [float(r) for r in rates]
        if i % 100 == 0:
            print({k: float(v) for k, v in metrics.items()}, shown)
    return params
