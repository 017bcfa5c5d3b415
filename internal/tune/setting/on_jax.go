package setting

// What JAX has. XLA ends the process at a flag that it does not know, so a flag is only used when the
// installed jaxlib is known to have it.

var jaxGPU = []string{"cuda", "rocm"}

func xlaFlag(name, value string) []Way {
	return []Way{{
		When: []string{"xla_flags has " + name},
		Env:  []Variable{{Name: "XLA_FLAGS", Value: "--" + name + "=" + value, Join: " ", Key: name}},
	}}
}

func xlaOption(name, value string) *Effect {
	return &Effect{
		Probe: "xla_option", Args: []any{name, value}, Active: true,
		Says: "the options that XLA writes down when it compiles",
	}
}

var onJAX = []Setting{
	{
		Name: "jax-cache", Title: "compiled programs cached between runs", Backends: []string{
			"cuda", "rocm", "mps",
			"cpu",
		}, Library: "jax", Level: Safe,
		Needs: []string{"jax >= 0.4.26", "cache known"},
		Ways: []Way{{
			Env:   []Variable{{Name: "JAX_COMPILATION_CACHE_DIR", Value: "=cache/jax"}},
			Knobs: []Knob{{Get: "jax.config.jax_compilation_cache_dir", Value: "=cache/jax"}},
		}},
		Effect: &Effect{
			Probe: "cached_program", Active: true,
			Says: "whether a program that is compiled leaves a file in the cache",
		},
		Numerics: Same, Cost: "a folder that grows; its content is trusted as code",
		Source: "https://docs.jax.dev/en/latest/persistent_compilation_cache.html",
	},
	{
		Name: "jax-bf16-products", Title: "products in bfloat16", Backends: jaxGPU, Library: "jax", Level: Measured,
		// On the CPU XLA accepts every precision and computes in float32: not offered there.
		Needs: []string{"jax_plugin in cuda rocm", "jax >= 0.5"},
		Ways: []Way{{
			Env:   []Variable{{Name: "JAX_DEFAULT_MATMUL_PRECISION", Value: "BF16_BF16_F32"}},
			Knobs: []Knob{{Set: "jax.config.jax_default_matmul_precision", Value: "BF16_BF16_F32"}},
		}},
		// By themselves products on tensor cores are in TF32, with an error of 3e-4.
		Effect: &Effect{
			Probe: "jax_matmul_error", Args: []any{1e-3, 2e-2}, Active: true,
			Says: "the error of a float32 product against float64",
		},
		Numerics: Changed,
		Source:   "https://docs.jax.dev/en/latest/_autosummary/jax.default_matmul_precision.html",
	},
	{
		Name: "jax-memory", Title: "92% of the GPU's memory for JAX instead of 75%", Backends: jaxGPU, Library: "jax", Level: Measured,
		Needs: []string{"jax_plugin in cuda rocm", "gpu_memory_mib known"},
		Ways: []Way{{Env: []Variable{{
			Name: "XLA_PYTHON_CLIENT_MEM_FRACTION", Value: ".92",
			Rivals: []string{"XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_ALLOCATOR"},
		}}}},
		Effect: &Effect{
			Probe: "jax_memory", Args: []any{"=gpu_memory_mib"}, Active: true,
			Says: "the limit of JAX's allocator",
		},
		Numerics: Same, Cost: "nothing is left for other programs on the GPU",
		Source: "https://docs.jax.dev/en/latest/gpu_memory_allocation.html",
	},
	{
		Name: "jax-pgle", Title: "the schedule of collectives learned from a profile of the first runs", Backends: []string{"cuda"}, Library: "jax", Level: Measured,
		Needs: []string{"jax >= 0.4.35", "jax_plugin = cuda", "gpus >= 2"},
		Ways: []Way{{
			Env:   []Variable{{Name: "JAX_ENABLE_PGLE", Value: "true"}},
			Knobs: []Knob{{Get: "jax.config.jax_enable_pgle", Value: true}},
		}},
		Numerics: Rounding, Cost: "compiles twice; no other profiler at the same time",
		Source: "https://docs.jax.dev/en/latest/gpu_performance_tips.html",
	},
	{
		Name: "xla-latency-hiding", Title: "collectives scheduled beside computation", Backends: []string{"cuda"}, Library: "jax", Level: Measured,
		Needs:    []string{"jax_plugin = cuda", "gpus >= 2"},
		Ways:     xlaFlag("xla_gpu_enable_latency_hiding_scheduler", "true"),
		Effect:   xlaOption("xla_gpu_enable_latency_hiding_scheduler", "true"),
		Numerics: Rounding,
		Source:   "https://docs.jax.dev/en/latest/gpu_performance_tips.html",
	},
	{
		Name: "xla-cpu-fast-math", Title: "XLA's fast mathematics on the CPU", Backends: cpu, Library: "jax", Level: Measured,
		Ways:     xlaFlag("xla_cpu_enable_fast_math", "true"),
		Effect:   xlaOption("xla_cpu_enable_fast_math", "true"),
		Numerics: Changed, Cost: "assumes no NaN and no infinity",
		Source: "xla/xla.proto",
	},
}
