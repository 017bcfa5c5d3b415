import equinox as eqx
import jax
import jax.numpy as jnp


class Rollout(eqx.Module):
    field: eqx.nn.MLP

    def step(self, s):
        return s + 0.1 * self.field(s)

    def __call__(self, s, n):
        states = []
        for _ in range(n):  # want SAT805 "as the array is long"
            s = self.step(s)
            states.append(s)
        return jnp.stack(states)

    def layers(self, s, depth):
        for _ in range(depth):
            s = self.step(s)
        return s


def objective(model, start, path):
    pred = jax.vmap(lambda s: model(s, path.shape[1]))(start)
    return jnp.mean((pred - path) ** 2) + model.layers(start, 2).mean()


@eqx.filter_jit
def update(model, start, path):
    return eqx.filter_value_and_grad(objective)(model, start, path)


@eqx.filter_jit
def probe(model, start, path):
    return objective(model, start, path)


def main(field, start, path):
    model = Rollout(field)
    return update(model, start, path), probe(model, start, path)
