import jax
import tensorflow_datasets as tfds
from torch.utils.data import DataLoader
import torch


def loss_fn(params, x):
    return (x @ params).mean()


@jax.jit
def train_step(params, x):
    return params - 0.1 * jax.grad(loss_fn)(params, x)


def load():
    ds = tfds.load("mnist", split="train")
    ds = ds.shuffle(1024).batch(128)  # want SAT807 "has a different shape"
    return ds.prefetch(1)


def train(params, dataset):
    for x in load():
        params = train_step(params, x)
    for x in DataLoader(dataset, batch_size=32, shuffle=True):  # want SAT807 "a different shape"
        params = train_step(params, x.numpy())
    return params
