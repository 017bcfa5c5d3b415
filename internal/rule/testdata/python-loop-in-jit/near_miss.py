import jax


@jax.jit
def few(x):
    for _ in range(4):
        x = x * 2
    return x


@jax.jit
def scanned(x):
    return jax.lax.fori_loop(0, 100, lambda _, v: v * 2, x)


def python(x):
    for _ in range(100):
        x = x * 2
    return x


@jax.jit
def unknown(x, layers):
    for layer in layers:
        x = layer(x)
    return x
