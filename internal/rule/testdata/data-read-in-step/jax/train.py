import equinox as eqx
import numpy as np
import optax

from clips import Clips


def make_step(optim):
    def step(model, state, x):
        loss, grads = eqx.filter_value_and_grad(lambda m: m(x).mean())(model)
        updates, state = optim.update(grads, state)
        return eqx.apply_updates(model, updates), state, loss

    return step


def train(model, state, files, steps):
    clips = Clips(files, np.random.default_rng(0))
    optim = optax.adam(1e-3)
    step = eqx.filter_jit(make_step(optim))
    for _ in range(steps):
        model, state, loss = step(model, state, clips.draw(8))
    return model
