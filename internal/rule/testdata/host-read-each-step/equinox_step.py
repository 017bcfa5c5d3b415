import equinox as eqx
import jax, jax.numpy as jnp, optax

@eqx.filter_value_and_grad
def compute_loss(model, x, y):
    pred = jax.vmap(model)(x)
    return jnp.mean((y - pred) ** 2)

@eqx.filter_jit
def make_step(model, x, y, opt_state, update):
    loss, grads = compute_loss(model, x, y)
    updates, opt_state = update(grads, opt_state)
    model = eqx.apply_updates(model, updates)
    return loss, model, opt_state

def main(dataset, model, steps):
    optim = optax.adam(1e-3)
    opt_state = optim.init(model)
    for step, (x, y) in zip(range(steps), dataset):
        loss, model, opt_state = make_step(model, x, y, opt_state, optim.update)
        loss = loss.item()  # want SAT803 "waits for the device"
        print(f"step={step}, loss={loss}")
