import argparse

import jax
import optax
from flax.training import checkpoints


@jax.jit
def step(params, state, batch):
    gradients = jax.grad(loss)(params, batch)
    updates, state = tx.update(gradients, state)
    return optax.apply_updates(params, updates), state


def main(params, state, batches):
    args = argparse.ArgumentParser().parse_args()
    for i, batch in enumerate(batches):  # want SAT810 "again in every run"
        params, state = step(params, state, batch)
        if i % 1000 == 0:
            checkpoints.save_checkpoint(args.out, params, i)
