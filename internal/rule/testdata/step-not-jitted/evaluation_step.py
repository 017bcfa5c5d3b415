import jax
import optax
from flax.training import train_state


@jax.jit
def update(state, x, y):
    def loss_of(params):
        return optax.softmax_cross_entropy_with_integer_labels(state.apply_fn({"params": params}, x), y).mean()

    loss, grads = jax.value_and_grad(loss_of)(state.params)
    return state.apply_gradients(grads=grads), loss


def hits(state, x, y):
    return (state.apply_fn({"params": state.params}, x).argmax(-1) == y).sum()  # want SAT801 "not compiled"


@jax.jit
def losses(state, x, y):
    return optax.softmax_cross_entropy_with_integer_labels(state.apply_fn({"params": state.params}, x), y).sum()


def judge(state, held):
    right, loss = 0, 0.0
    for x, y in held:
        right += hits(state, x, y)
        loss += losses(state, x, y)
    return right, loss


def main(net, params, batches, held):
    state = train_state.TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3))
    for step, (x, y) in enumerate(batches):
        state, loss = update(state, x, y)
        if step % 1000 == 0:
            print(judge(state, held))
