import jax
import tensorflow as tf
from flax import jax_utils


def stream(files):
    ds = tf.data.TFRecordDataset(files)
    return ds.repeat().batch(64).as_numpy_iterator()  # want SAT206 "does not prefetch"


def ahead(files):
    ds = tf.data.TFRecordDataset(files)
    return ds.batch(64).prefetch(2).as_numpy_iterator()


def handed(files):
    ds = tf.data.TFRecordDataset(files)
    return ds.batch(64).as_numpy_iterator()


def loss_fn(params, x):
    return (x @ params).mean()


@jax.jit
def train_step(params, x):
    return params - 0.1 * jax.grad(loss_fn)(params, x)


def train(params, files):
    for x in stream(files):
        params = train_step(params, x)
    for x in ahead(files):
        params = train_step(params, x)
    return params


def train_ahead(params, files):
    for x in jax_utils.prefetch_to_device(handed(files), 2):
        params = train_step(params, x)
    return params
