import jax
import tensorflow as tf


def decode(record):
    return tf.image.resize(tf.io.decode_jpeg(record), (224, 224))


def stream(files):
    ds = tf.data.TFRecordDataset(files)
    ds = ds.map(decode)  # want SAT121 "one thread"
    return ds.batch(64).prefetch(2)


def fast(files):
    ds = tf.data.TFRecordDataset(files)
    ds = ds.map(lambda r: r + 1)
    ds = ds.map(decode, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(64).prefetch(2)


def loss_fn(params, x):
    return (x @ params).mean()


@jax.jit
def train_step(params, x):
    return params - 0.1 * jax.grad(loss_fn)(params, x)


def train(params, files):
    for x in stream(files):
        params = train_step(params, x)
    for x in fast(files):
        params = train_step(params, x)
    return params
