"""A step of JAX that is not compiled, one that keeps the old state, products in full precision, a last batch of another
shape, losses that are read in each step."""
# repairs: SAT801 SAT803 SAT804 SAT807 SAT809
import jax
import jax.numpy as jnp
import torch
from torch.utils.data import DataLoader

jax.config.update("jax_default_matmul_precision", "float32")


def loss_fn(params, x):
    return jnp.mean((x @ params["w"] + params["b"] - 1) ** 2)


def slow_step(params, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss


def fast_step(params, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    return jax.tree.map(lambda p, g: p - 0.2 * g, params, grads), loss


def slow(rows):
    params = {"w": jnp.full((3, 1), 0.1), "b": jnp.zeros(1)}
    for x in DataLoader(rows, batch_size=4, shuffle=True, generator=torch.Generator().manual_seed(1)):
        params, loss = slow_step(params, x.numpy())
        print(f"{loss:.4f}")
    return params


def fast(rows):
    step = jax.jit(fast_step)
    params = {"w": jnp.full((3, 1), 0.1), "b": jnp.zeros(1)}
    for x in DataLoader(rows, batch_size=4):
        params, loss = step(params, x.numpy())
        print(f"{loss:.4f}")
    return params


def summed(rows):
    step = jax.jit(fast_step)
    params, total, last = {"w": jnp.full((3, 1), 0.1), "b": jnp.zeros(1)}, 0.0, []
    for x in DataLoader(rows, batch_size=4, drop_last=True):
        params, loss = step(params, x.numpy())
        total += float(loss)
        last.append(loss.item())
    return total / len(rows), sum(last[-2:])


if __name__ == "__main__":
    rows = list(torch.randn(16, 3, generator=torch.Generator().manual_seed(0)))
    print(slow(rows)["b"].round(4), fast(rows)["b"].round(4), "%.4f %.4f" % summed(rows))
