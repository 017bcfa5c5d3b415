import haiku as hk
import jax
import jax.numpy as jnp


class Stack(hk.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.width, self.layers = width, layers

    def __call__(self, x):
        for i in range(self.layers):
            core = hk.GRU(self.width)
            state = core.initial_state(x.shape[0])
            outs = []
            for t in range(x.shape[1]):  # want SAT805 "unrolled"
                y, state = core(x[:, t], state)
                outs.append(y)
            x = jnp.stack(outs, axis=1)
        return x


class Heads(hk.Module):
    def __call__(self, x):
        outs = []
        for t in range(x.shape[1]):
            y, scale = hk.Linear(4)(x[:, t]), 2
            outs.append(y * scale)
        return jnp.stack(outs, axis=1)


def train(params, batches):
    net = hk.without_apply_rng(hk.transform(lambda x: Heads()(Stack(8, 2)(x))))
    step = jax.jit(jax.grad(lambda p, x: net.apply(p, x).mean()))
    for x in batches:
        params = params - step(params, x)
    return params
