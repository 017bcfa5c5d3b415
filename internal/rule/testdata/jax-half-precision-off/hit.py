import jax
import jax.numpy as jnp
import ml_collections
import optax
from absl import app, flags
from ml_collections import config_flags

config_flags.DEFINE_config_file("config", None, "settings")


def get_config():
    config = ml_collections.ConfigDict()
    config.training = training = ml_collections.ConfigDict()
    training.half = False
    return config


def create(make, half):
    if half:  # want SAT812 "half precision is switched off"
        kind = jnp.bfloat16
    else:
        kind = jnp.float32
    return make(dtype=kind)


def train(config, make, batches):
    model = create(make, config.training.half)
    optimizer = optax.adam(1e-3)
    params = model.init(0)
    state = optimizer.init(params)

    @jax.jit
    def step(params, state, batch):
        value, gradient = jax.value_and_grad(lambda p: model.apply(p, batch).mean())(params)
        updates, state = optimizer.update(gradient, state)
        return optax.apply_updates(params, updates), state

    for batch in batches:
        params, state = step(params, state, batch)


def main(argv):
    train(flags.FLAGS.config, print, [])


app.run(main)
