from functools import partial

import flax
import jax
import jax.numpy as jnp
import optax


class Agent(flax.struct.PyTreeNode):
    params: dict
    opt_state: tuple

    @partial(jax.pmap, axis_name="data")
    def update(self, batch):
        grads = jax.grad(lambda params: jnp.mean((batch @ params["w"]) ** 2))(self.params)
        updates, opt_state = tx.update(grads, self.opt_state, self.params)
        return self.replace(params=optax.apply_updates(self.params, updates), opt_state=opt_state), {}


tx = optax.adam(1e-3)


def train(params, batches):
    agent = flax.jax_utils.replicate(Agent(params, tx.init(params)))
    for step, batch in enumerate(batches):
        best = agent
        agent, info = agent.update(batch)
    return agent, best
