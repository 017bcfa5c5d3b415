import dataclasses

import equinox as eqx
import jax
import optax


@dataclasses.dataclass
class Plan:
    save_every: int = 10  # told SAT708 "the default of a field"
    keep_every: int = 5000


@eqx.filter_jit
def update(model, state, optim, x):
    loss, grads = eqx.filter_value_and_grad(lambda m: m(x).sum())(model)
    moves, state = optim.update(grads, state)
    return eqx.apply_updates(model, moves), state, loss


def main(model, batches, plan=Plan()):
    optim = optax.adam(1e-3)
    state = optim.init(eqx.filter(model, eqx.is_array))
    for n, x in enumerate(batches):
        model, state, loss = update(model, state, optim, x)
        if n % plan.save_every == 0:
            eqx.tree_serialise_leaves("last.eqx", model)  # want SAT708 "every 10 steps"
        if n % plan.keep_every == 0:
            eqx.tree_serialise_leaves("kept.eqx", model)
