import flax.linen as nn
import jax
import optax
from flax.training.train_state import TrainState


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(10)(nn.Conv(64, (3, 3))(x).mean((1, 2)))


def train(batches):
    model = Net()
    state = TrainState.create(apply_fn=model.apply, params=model.init(jax.random.key(0), batches[0]), tx=optax.adam(1e-3))

    @jax.jit
    def step(state, x):
        grads = jax.grad(lambda params: state.apply_fn(params, x).mean())(state.params)
        return state.apply_gradients(grads=grads)

    for x in batches:
        state = step(state, x)  # want SAT812 "trained entirely in float32"
