import jax
import optax
import tensorflow as tf
import tensorflow_datasets as tfds


def dataset():
    def read(record):
        image = tf.image.resize(record["image"], (64, 64))
        image = tf.cast(image, tf.float32) / 255.0  # want SAT424 "in the pipeline"
        return image, record["label"]

    def read_plain(record):
        image = record["image"]
        label = tf.cast(record["label"], tf.float32)  # a number
        return image, label

    data = tfds.load("celeb", split="train")
    other = tfds.load("celeb", split="train").map(read_plain, num_parallel_calls=tf.data.AUTOTUNE)
    data = data.map(read, num_parallel_calls=tf.data.AUTOTUNE)
    return iter(data.batch(32).prefetch(tf.data.AUTOTUNE)), other


def loss(params, x):
    return (params * x).mean()


@jax.jit
def step(params, state, x):
    grads = jax.grad(loss)(params, x)
    updates, state = optax.adam(1e-3).update(grads, state)
    return optax.apply_updates(params, updates), state


def main(params, state):
    data, _ = dataset()
    for i in range(1000):
        x, _ = next(data)
        params, state = step(params, state, x.numpy())
