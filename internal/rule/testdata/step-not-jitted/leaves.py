import jax
import jax.numpy as jnp
import optax


@jax.jit
def step(params, x, y):
    return jax.value_and_grad(lambda p: jnp.mean((x @ p["w"] - y) ** 2))(params)


def average(old, new, decay=0.999):
    flat, tree = jax.tree_util.tree_flatten(old)
    out = []
    for a, b in zip(flat, jax.tree_util.tree_leaves(new)):  # want SAT801 "array by array"
        out.append(decay * a + (1 - decay) * b)
    return jax.tree_util.tree_unflatten(tree, out)


@jax.jit
def compiled(old, new):
    flat, tree = jax.tree_util.tree_flatten(old)
    return tree.unflatten([0.9 * a + 0.1 * b for a, b in zip(flat, jax.tree_util.tree_leaves(new))])


@jax.jit
def update(params, grads, state):
    changes, state = optax.adam(1e-3).update(grads, state, params)
    return optax.apply_updates(params, changes), state


def train(params, state, batches):
    mean = other = params
    for x, y in batches:
        loss, grads = step(params, x, y)
        params, state = update(params, grads, state)
        mean = average(mean, params)
        other = compiled(other, params)
    names = [leaf.shape for leaf in jax.tree_util.tree_leaves(params)]
    return mean, other, names
