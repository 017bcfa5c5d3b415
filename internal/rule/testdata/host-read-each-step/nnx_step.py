import jax
import optax
from flax import nnx

@nnx.jit
def train_step(model, optimizer, metrics, batch):
    grad_fn = nnx.value_and_grad(loss_fn, has_aux=True)
    (loss, logits), grads = grad_fn(model, batch)
    metrics.update(loss=loss)
    optimizer.update(grads)
    return loss

class Trainer:
    def __init__(self, model, tx):
        self.model = model
        self.optimizer = nnx.Optimizer(model, tx)
    def train(self, loader):
        for step, batch in enumerate(loader):
            loss = train_step(self.model, self.optimizer, self.metrics, batch)
            self.writer.add_scalar("loss", loss, step)  # want SAT803 "waits for the device"
