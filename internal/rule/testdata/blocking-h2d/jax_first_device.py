import functools

import jax
import jax.numpy as jnp
import numpy as np


def loss_of(params, batch):
    return jnp.mean((batch["image"] @ params) ** 2)


def train_step(params, batch):
    return params - 0.1 * jax.lax.pmean(jax.grad(loss_of)(params, batch), "batch")


def train(params, dataset, devices):
    step = jax.pmap(functools.partial(train_step), axis_name="batch")
    for image, label in dataset.as_numpy_iterator():
        if image.shape[0] % devices != 0:
            continue
        image = image.astype(np.float32)
        image = jnp.reshape(image, (devices, -1) + image.shape[1:])  # want SAT311 "to the first device"
        params = step(params, {"image": image, "label": label})
    return params


def on_host(params, dataset, devices):
    step = jax.pmap(train_step, axis_name="batch")
    for image, label in dataset.as_numpy_iterator():
        image = np.reshape(image, (devices, -1) + image.shape[1:])
        params = step(params, {"image": image, "label": label})
    return params


def one_device(params, dataset):
    step = jax.jit(train_step)
    for image, label in dataset.as_numpy_iterator():
        image = jnp.reshape(image, (image.shape[0], -1))
        params = step(params, {"image": image, "label": label})
    return params
