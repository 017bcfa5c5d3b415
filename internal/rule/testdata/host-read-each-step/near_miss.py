import jax
import jax.numpy as jnp


def loss_fn(params, x):
    return jnp.mean(x @ params)


@jax.jit
def train_step(params, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    return params - 0.1 * grads, loss


def train(params, batches):
    losses = []
    for step, x in enumerate(batches):
        params, loss = train_step(params, x)
        losses.append(loss)
        if step % 100 == 0:
            print(f"step {step}: {float(loss)}")
        print("step", step, float(step), x.shape)
    return params, jax.device_get(losses)


def evaluate(params, batches):
    return [float(loss_fn(params, x)) for x in batches]
