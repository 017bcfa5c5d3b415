package setting

// What AMD GPUs have beside what they share with NVIDIA's. None of it was run on hardware here.

var rocm = []string{"rocm"}

var onROCm = []Setting{
	{
		Name: "hipblaslt", Title: "products by hipBLASLt", Backends: rocm, Library: "torch", Level: Hardware,
		Needs: []string{"torch >= 2.4", "gfx in gfx90a gfx942 gfx950"},
		Ways: []Way{{Knobs: []Knob{{
			Set: "torch.backends.cuda.preferred_blas_library()", Pass: "hipblaslt",
			Get: "torch.backends.cuda.preferred_blas_library()", Value: "_BlasBackend.Cublaslt",
		}}}},
		Effect: &Effect{
			Probe: "kernel_names", Args: []any{"Cijk_"}, Active: true,
			Says: "the names of the kernels that a product runs",
		},
		Numerics: Rounding, Live: true,
		Source: "https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cuda.preferred_blas_library",
	},
	{
		Name: "hipblaslt-workspace", Title: "128 MiB workspace for faster hipBLASLt products", Backends: rocm, Library: "torch", Level: Measured,
		Needs: []string{"gpu_free_mib >= 16384", "gfx in gfx942 gfx950"},
		Ways:  []Way{{Env: []Variable{{Name: "HIPBLASLT_WORKSPACE_SIZE", Value: "131072"}}}},
		Effect: &Effect{
			Probe: "workspace", Args: []any{128 << 20, true}, Active: true,
			Says: "how much memory the first product with a bias takes beside its tensors",
		},
		Numerics: Rounding, Cost: "128 MiB of GPU memory for each stream",
		Source: "aten/src/ATen/cuda/CUDABlas.cpp",
	},
	{
		Name: "rocm-tf32", Title: "float32 products on matrix cores, with 10 bits of mantissa", Backends: rocm, Library: "torch", Level: Measured,
		Needs: []string{"torch >= 2.7", "gfx in gfx942 gfx950"},
		Ways: []Way{{
			Env:   []Variable{{Name: "HIPBLASLT_ALLOW_TF32", Value: "1"}},
			Knobs: []Knob{{Set: "torch.backends.cuda.matmul.allow_tf32", Value: true}},
		}},
		Effect: &Effect{
			Probe: "matmul_error", Args: []any{"cuda", "float32", 2e-5, 5e-3}, Active: true,
			Says: "the error of a float32 product against float64",
		},
		Numerics: Changed,
		Source:   "pytorch#143549",
	},
	{
		Name: "tunableop", Title: "each product's kernel chosen by measurement and kept in a file", Backends: rocm, Library: "torch", Level: Measured,
		Needs: []string{"torch >= 2.3"},
		Ways: []Way{{
			Env: []Variable{
				{Name: "PYTORCH_TUNABLEOP_ENABLED", Value: "1"},
				{Name: "PYTORCH_TUNABLEOP_TUNING", Value: "1"},
				{Name: "PYTORCH_TUNABLEOP_FILENAME", Value: "=cache/tunableop_%d.csv"},
			},
			Knobs: []Knob{{Get: "torch.cuda.tunable.is_enabled()", Value: true}},
		}},
		Effect: &Effect{
			Probe: "evaluates",
			Args: []any{"len((torch.ones(64, 64, device='cuda') @ torch.ones(64, 64, device='cuda'), " +
				"torch.cuda.tunable.get_results())[1]) > 0"}, Active: true, Says: "whether it has results after a product",
		},
		Numerics: Rounding, Cost: "every new shape is measured: seconds each, once",
		Source: "https://docs.pytorch.org/docs/stable/cuda.tunable.html",
	},
	{
		Name: "rocm-attention-ck", Title: "FlashAttention by Composable Kernel", Backends: rocm, Library: "torch", Level: Measured,
		Needs: []string{"torch >= 2.7", "gfx in gfx90a gfx942 gfx950"},
		Ways: []Way{{Knobs: []Knob{{
			Set: "torch.backends.cuda.preferred_rocm_fa_library()", Pass: "ck",
			Get: "torch.backends.cuda.preferred_rocm_fa_library()", Value: "_ROCmFABackend.Ck",
		}}}},
		Numerics: Rounding, Live: true,
		Source: "https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cuda.preferred_rocm_fa_library",
	},
	{
		Name: "miopen-find", Title: "MIOpen measures its convolutions instead of guessing", Backends: rocm, Library: "torch", Level: Measured, Group: "miopen",
		Ways: []Way{{
			Env:   []Variable{{Name: "MIOPEN_FIND_MODE", Value: "1"}},
			Knobs: []Knob{{Set: "torch.backends.cudnn.benchmark", Value: true}},
		}},
		Effect: &Effect{
			Probe: "known_by", Args: []any{"*variables", "libMIOpen.so*"},
			Says: "whether the MIOpen that is loaded knows the variable",
		},
		Numerics: Rounding, Cost: "each new shape is measured once; results are kept in MIOpen's own database",
		Source: "https://rocm.docs.amd.com/projects/MIOpen/en/latest/how-to/find-and-immediate.html",
	},
	{
		Name: "miopen-immediate", Title: "MIOpen's convolutions without any search", Backends: rocm, Library: "torch", Level: Measured, Group: "miopen",
		Needs:    []string{"torch >= 2.9"},
		Ways:     []Way{{Knobs: []Knob{{Set: "torch.backends.miopen.immediate", Value: true}}}},
		Numerics: Rounding, Live: true,
		Source: "torch/backends/miopen/__init__.py",
	},
}
