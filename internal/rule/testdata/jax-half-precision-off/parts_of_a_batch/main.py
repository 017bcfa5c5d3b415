import jax
from steps import update


def main(state, batches, parts):
    for number in range(1000):
        batch = next(batches)
        with jax.profiler.StepTraceAnnotation("train", step_num=number):
            for part in range(parts):
                state, loss = update(state, batch[part])  # want SAT812 "trained entirely in float32"
    return state
