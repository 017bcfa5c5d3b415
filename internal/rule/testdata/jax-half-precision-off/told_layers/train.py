from types import SimpleNamespace

import jax
import optax
import yaml
from net import Mixed, Net

with open("model.yaml") as f:
    cfg = SimpleNamespace(**yaml.safe_load(f))
optimizer = optax.adam(1e-3)
key = jax.random.PRNGKey(0)
mixed = Mixed(cfg)
others = mixed.init(key, jax.numpy.zeros((1, 9, 9)))
net = Net(cfg)  # want SAT812 "layers are told to compute in float32"
params = net.init(key, jax.numpy.zeros((1, 9, cfg.width)))
opt_state = optimizer.init(params)


@jax.jit
def step(params, opt_state, x):
    loss, grads = jax.value_and_grad(lambda p: net.apply(p, x).sum())(params)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


for x in []:
    params, opt_state, loss = step(params, opt_state, x)
