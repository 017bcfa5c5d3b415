import jax

jax.config.update("jax_compilation_cache_dir", "/scratch/jax")
