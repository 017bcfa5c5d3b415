import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState
from ml_collections import config_flags

import config as defaults
from net import Net

CONFIG = config_flags.DEFINE_config_dict("config", defaults.get_config())


@jax.jit
def step(state, x):
    grads = jax.grad(lambda params: state.apply_fn(params, x).mean())(state.params)
    return state.apply_gradients(grads=grads)


def main(batches):
    cfg = CONFIG.value
    model = Net(cfg.width, jnp.dtype(cfg.compute_dtype))  # want SAT812 "told to compute in float32"
    state = TrainState.create(apply_fn=model.apply, params=model.init(jax.random.key(0), batches[0]), tx=optax.adam(1e-3))
    for x in batches:
        state = step(state, x)
