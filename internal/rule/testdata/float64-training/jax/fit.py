import flax.linen as nn
import jax
import optax

net, opt = nn.Dense(8), optax.adam(1e-3)


@jax.jit
def step(params, state, x):
    grads = jax.grad(lambda p: net.apply(p, x).mean())(params)
    updates, state = opt.update(grads, state)
    return optax.apply_updates(params, updates), state


def train(conf, params=None, batches=()):
    state = opt.init(params)
    for x in batches:  # want SAT423 "JAX computes in float64"
        params, state = step(params, state, x)
    return params
