import jax
import optax
from tensorboardX import SummaryWriter


class Log:
    def __init__(self):
        self.writer = SummaryWriter()
        self.kept = []

    def scalars(self, step, **values):
        for name, value in values.items():
            self.writer.add_scalar(name, float(value), step)

    def keep(self, values):
        self.kept.append(values["loss"])

    def rarely(self, step, values):
        if step % 100 == 0:
            print(float(values["loss"]))

    def shape(self, values):
        self.size = int(values["loss"].shape[0])


@jax.jit
def train_step(params, opt_state, batch):
    loss, grads = jax.value_and_grad(loss_fn)(params, batch)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, {"loss": loss}


def main(params, opt_state, batches):
    log = Log()
    for step, batch in enumerate(batches):
        params, opt_state, metrics = train_step(params, opt_state, batch)
        log.scalars(step, **metrics)  # want SAT803 "waits for the device"
        log.keep(metrics)
        log.rarely(step, metrics)
        log.shape(metrics)
        if step % 100 == 0:
            log.scalars(step, **metrics)


main({}, {}, [])
