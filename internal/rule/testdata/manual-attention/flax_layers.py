import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Block(nn.Module):
    heads: int
    drop: float = 0.1

    @nn.compact
    def __call__(self, x, train):
        y = nn.LayerNorm()(x)
        x = x + nn.MultiHeadDotProductAttention(self.heads, dtype=jnp.bfloat16)(y, y)  # want SAT409 "stores every attention weight"
        x = x + nn.SelfAttention(num_heads=self.heads)(nn.LayerNorm()(x))  # want SAT409 "stores every attention weight"
        q, k, v = nn.Dense(64)(x)[:, :, None], nn.Dense(64)(x)[:, :, None], nn.Dense(64)(x)[:, :, None]
        x = x + nn.Dense(512)(nn.dot_product_attention(q, k, v, dropout_rate=0.0)[:, :, 0])  # want SAT409 "stores every attention weight"
        x = x + nn.MultiHeadDotProductAttention(self.heads, attention_fn=jax.nn.dot_product_attention)(y, y)
        x = x + nn.Dense(512)(jax.nn.dot_product_attention(q, k, v, implementation="cudnn")[:, :, 0])
        return x + nn.MultiHeadDotProductAttention(self.heads, dropout_rate=self.drop, deterministic=not train)(y, y)


def main(loader, x):
    net = Block(8)
    params = net.init(jax.random.PRNGKey(0), x, True)
    tx = optax.adam(1e-3)
    state = tx.init(params)

    @jax.jit
    def step(params, state, x, y):
        loss, grads = jax.value_and_grad(lambda p: ((net.apply(p, x, True) - y) ** 2).mean())(params)
        updates, state = tx.update(grads, state)
        return optax.apply_updates(params, updates), state, loss

    for x, y in loader:
        params, state, loss = step(params, state, x, y)
