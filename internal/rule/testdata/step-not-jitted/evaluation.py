import jax
import jax.numpy as jnp
import optax
from flax.training import train_state


@jax.jit
def update(state, x, y):
    def loss_of(params):
        return optax.softmax_cross_entropy_with_integer_labels(state.apply_fn({"params": params}, x), y).mean()

    loss, grads = jax.value_and_grad(loss_of)(state.params)
    return state.apply_gradients(grads=grads), loss


def judge(state, xs, ys, size):
    right = 0
    for s in range(0, len(xs), size):
        logits = state.apply_fn({"params": state.params}, xs[s : s + size])  # want SAT801 "not compiled"
        right += int((logits.argmax(-1) == ys[s : s + size]).sum())
    return right / len(xs)


@jax.jit
def hits(state, x, y):
    return (state.apply_fn({"params": state.params}, x).argmax(-1) == y).sum()


def judge_compiled(state, xs, ys, size):
    return sum(int(hits(state, xs[s : s + size], ys[s : s + size])) for s in range(0, len(xs), size)) / len(xs)


def look(state, xs):
    for x in xs:
        print(state.apply_fn({"params": state.params}, x))


def main(net, params, batches, held_x, held_y):
    state = train_state.TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3))
    look(state, held_x[:3])
    for epoch in range(30):
        for x, y in batches():
            state, loss = update(state, x, y)
        print(epoch, judge(state, held_x, held_y, 128), judge_compiled(state, held_x, held_y, 128))
