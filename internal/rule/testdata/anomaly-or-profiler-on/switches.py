import jax

jax.config.update("jax_debug_nans", True)  # want SAT313 "checked for NaN"
jax.config.update("jax_debug_infs", False)
jax.config.update("jax_enable_x64", True)
