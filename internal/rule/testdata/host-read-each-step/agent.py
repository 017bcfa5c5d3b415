import jax
import wandb
import optax
@jax.jit
def update(params, opt_state, batch):
    loss, grads = jax.value_and_grad(loss_fn)(params, batch)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss
class Agent:
    def update(self, batch):
        self.params, self.opt_state, info = update(self.params, self.opt_state, batch)
        return info
def main(agent, replay, steps):
    for i in range(steps):
        batch = replay.sample(256)
        info = agent.update(batch)
        wandb.log({"loss": float(info)})  # want SAT803 "waits for the device"
a = Agent()
main(a, replay, 1000)
