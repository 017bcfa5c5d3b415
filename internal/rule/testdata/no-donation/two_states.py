import jax
import jax.numpy as jnp


def loss_of(params, x):
    return jnp.mean((x @ params) ** 2)


def step_generator(state, x):
    return state - 0.1 * jax.grad(loss_of)(state, x)


def step_critic(state, x):
    return state - 0.1 * jax.grad(loss_of)(state, -x)


def train(state_g, state_c, batches):
    p_generator = jax.jit(step_generator)  # want SAT804 "stays in memory"
    p_critic = jax.jit(step_critic)  # want SAT804 "stays in memory"
    for x in batches:
        state_c = p_critic(state_c, x)
        state_g = p_generator(state_g, x)
    return state_g
