package setting

// What Apple's GPUs have. None of it was run on hardware here. torch reads these variables in C++ and
// has no way to read them back: what can be seen is whether the library knows their names.

var mps = []string{"mps"}

var knownByTorch = &Effect{
	Probe: "known_by", Args: []any{"*variables", "libtorch_cpu.*"}, Active: true,
	Says: "whether the library of the installed torch knows the variables",
}

var onMPS = []Setting{
	{
		Name: "mps-fallback", Title: "operators that Metal lacks run on the CPU instead of failing", Backends: mps, Library: "torch", Level: Safe,
		Ways:     []Way{{Env: []Variable{{Name: "PYTORCH_ENABLE_MPS_FALLBACK", Value: "1"}}}},
		Effect:   knownByTorch,
		Numerics: Same, Cost: "hides slow operators: the warnings of the fallback name them",
		Source: "https://docs.pytorch.org/docs/stable/mps_environment_variables.html",
	},
	{
		Name: "mps-watermark", Title: "limit GPU memory to what Metal recommends, not 1.7× that: no swapping", Backends: mps, Library: "torch", Level: Measured,
		Ways: []Way{{Env: []Variable{
			{Name: "PYTORCH_MPS_HIGH_WATERMARK_RATIO", Value: "1.0"},
			{Name: "PYTORCH_MPS_LOW_WATERMARK_RATIO", Value: "0.9"},
		}}},
		Effect:   knownByTorch,
		Numerics: Same, Cost: "a model that fits only with swapping runs out of memory",
		Source: "https://docs.pytorch.org/docs/stable/mps_environment_variables.html",
	},
	{
		Name: "mps-fast-math", Title: "Metal's fast mathematics", Backends: mps, Library: "torch", Level: Measured,
		Ways:     []Way{{Env: []Variable{{Name: "PYTORCH_MPS_FAST_MATH", Value: "1"}}}},
		Effect:   knownByTorch,
		Numerics: Changed,
		Source:   "https://docs.pytorch.org/docs/stable/mps_environment_variables.html",
	},
	{
		Name: "mps-prefer-metal", Title: "products by Metal kernels instead of Metal Performance Shaders", Backends: mps, Library: "torch", Level: Measured,
		Ways:     []Way{{Env: []Variable{{Name: "PYTORCH_MPS_PREFER_METAL", Value: "1"}}}},
		Effect:   knownByTorch,
		Numerics: Rounding,
		Source:   "https://docs.pytorch.org/docs/stable/mps_environment_variables.html",
	},
}
