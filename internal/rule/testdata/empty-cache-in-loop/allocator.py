import os

os.environ["XLA_PYTHON_CLIENT_ALLOCATOR"] = "platform"  # want SAT308 "JAX allocates device memory again"
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
os.putenv("PYTORCH_NO_CUDA_MEMORY_CACHING", "1")  # want SAT308 "torch allocates device memory again"

import jax  # noqa: E402
import optax  # noqa: E402

opt = optax.adam(1e-3)


@jax.jit
def step(params, state, x):
    grads = jax.grad(lambda p: (p * x).mean())(params)
    updates, state = opt.update(grads, state)
    return optax.apply_updates(params, updates), state


def train(params, batches):
    state = opt.init(params)
    for x in batches:
        params, state = step(params, state, x)
    return params
