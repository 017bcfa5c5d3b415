from functools import partial

import jax
import jax.numpy as jnp


def loss_fn(params, x, scale):
    return jnp.mean(x @ params) * scale


def train(params, batches):
    for x in batches:
        loss = jax.jit(lambda p: loss_fn(p, x, 1.0))(params)  # want SAT802 "is a new function each time"
        grads = jax.jit(jax.grad(loss_fn))(params, x, 1.0)  # want SAT802 "is a new function"
        scaled = jax.jit(partial(loss_fn, scale=2.0))  # want SAT802 "is a new function"
        params = params - 0.1 * grads * scaled(params, x) * loss
    return params


class Model:
    def apply(self, params, x):
        return x @ params

    def run(self, params, batches):
        for x in batches:
            yield jax.jit(self.apply)(params, x)  # want SAT802 "is a new function"


def local(params, batches):
    for x in batches:

        def step(p):
            return loss_fn(p, x, 1.0)

        params = params - jax.jit(step)(params)  # want SAT802 "is a new function"
    return params
