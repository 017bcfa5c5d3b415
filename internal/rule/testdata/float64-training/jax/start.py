import os

os.environ.setdefault("JAX_ENABLE_X64", "True")  # want SAT423 "JAX computes in float64"
os.environ.update({"JAX_ENABLE_X64": "1"})  # want SAT423 "JAX computes in float64"

import jax  # noqa: E402
import yaml  # noqa: E402

with open("run.yaml") as f:
    CONF = yaml.safe_load(f)

jax.config.update("jax_enable_x64", CONF["numerics"]["double"])  # want SAT423 "JAX computes in float64"

from fit import train  # noqa: E402

train(CONF)
