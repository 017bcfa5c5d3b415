import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


class Attention(nn.Module):
    heads: int = 8

    @nn.compact
    def __call__(self, x, mask, deterministic):
        q, k, v = (nn.DenseGeneral((self.heads, 64))(x) for _ in range(3))
        scores = jnp.einsum("...qhd,...khd->...hqk", q, k) / 8
        scores = jnp.where(mask, scores, jnp.finfo(jnp.float32).min)
        weights = jax.nn.softmax(scores).astype(x.dtype)
        weights = nn.Dropout(0.1)(weights, deterministic)
        return jnp.einsum("...hqk,...khd->...qhd", weights, v)


class Shown(nn.Module):
    @nn.compact
    def __call__(self, q, k, v):
        weights = jax.nn.softmax(q @ jnp.swapaxes(k, -2, -1))
        return weights @ v, weights


def train(batches, mask):
    model, shown = Attention(), Shown()
    state = TrainState.create(apply_fn=model.apply, params=model.init(jax.random.key(0), batches[0], mask, True), tx=optax.adam(1e-3))

    @jax.jit
    def step(state, x):
        def loss(params):
            y = state.apply_fn(params, x, mask, False)
            out, weights = shown.apply({}, y, y, y)
            return out.mean() + weights.std()

        return state.apply_gradients(grads=jax.grad(loss)(state.params))

    for x in batches:
        state = step(state, x)
