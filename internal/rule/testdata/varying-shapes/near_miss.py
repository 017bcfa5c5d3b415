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
    dropped = ds.shuffle(1024).batch(128, drop_remainder=True)
    endless = ds.repeat().batch(128)
    ds = ds.repeat(3)
    ds = ds.batch(128)
    fresh = tfds.load("mnist", split="train").cache().repeat()
    if dropped:
        fresh = fresh.shuffle(1024)
    fresh = fresh.batch(128)
    return ds, dropped, endless, fresh


def load_eval():
    return tfds.load("mnist", split="test").batch(128)


def accuracy(ds_test, model):
    return [model(batch) for batch in ds_test.map(model.preprocess).batch(500)]


def train(params, dataset):
    for x in DataLoader(dataset, batch_size=32, drop_last=True):
        params = train_step(params, x.numpy())
    return params
