"""Evaluates each checkpoint that training leaves. Training runs elsewhere."""

import time

import jax
import jax.numpy as jnp

from training.checkpoints import restore


def evaluate(folder, batches, predict):
    while True:
        params = restore(folder)
        errors = [predict(params, batch) for batch in batches]
        print(jnp.mean(jnp.stack(errors)))
        jax.device_get(jax.pmap(lambda x: jax.lax.psum(x, "i"), "i")(jnp.ones([jax.local_device_count()])))
        time.sleep(60)


if __name__ == "__main__":
    evaluate("runs", [], print)
