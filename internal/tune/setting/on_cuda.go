package setting

// What NVIDIA GPUs have. What AMD's share, because torch serves both under the name of CUDA, says so in
// its backends.

var gpus = []string{"cuda", "rocm"}

// allocatorVariable works in every version; its newer name PYTORCH_ALLOC_CONF is ignored by torch 2.9.
const allocatorVariable = "PYTORCH_CUDA_ALLOC_CONF"

func allocator(value, key string) []Variable {
	return []Variable{{Name: allocatorVariable, Value: value, Join: ",", Key: key, Rivals: []string{
		"PYTORCH_ALLOC_CONF",
		"PYTORCH_HIP_ALLOC_CONF",
	}}}
}

func allocatorSetting(key string) string {
	return "torch.cuda.memory._snapshot()['allocator_settings']['" + key + "']"
}

// sdpa lets one attention kernel be chosen, and the plain one where that cannot be used.
func sdpa(flash, efficient, cudnn bool) []Knob {
	return []Knob{
		{Set: "torch.backends.cuda.enable_flash_sdp()", Get: "torch.backends.cuda.flash_sdp_enabled()", Value: flash},
		{
			Set: "torch.backends.cuda.enable_mem_efficient_sdp()", Get: "torch.backends.cuda.mem_efficient_sdp_enabled()",
			Value: efficient,
		},
		{Set: "torch.backends.cuda.enable_cudnn_sdp()", Get: "torch.backends.cuda.cudnn_sdp_enabled()", Value: cudnn},
		{Set: "torch.backends.cuda.enable_math_sdp()", Get: "torch.backends.cuda.math_sdp_enabled()", Value: true},
	}
}

// small is a model for which compiling costs more than it gives.
const small = 1_000_000

func compiled(mode string) []Way {
	return []Way{{Hook: "compile_model", Value: mode, Hand: `torch.compile(model, mode="` + mode + `")`}}
}

var onCUDA = []Setting{
	{
		Name: "expandable-segments", Title: "expandable GPU memory segments, against fragmentation",
		Backends: gpus, Library: "torch", Level: Safe, Group: "gpu-allocator",
		Needs: []string{"os = linux", "torch >= 2.1"},
		Ways: []Way{
			{
				When: []string{"backend = cuda"}, Env: allocator("expandable_segments:True", "expandable_segments"),
				Knobs: []Knob{{Get: allocatorSetting("expandable_segments"), Value: true}},
			},
			{
				When: []string{"hip >= 7.0"}, Env: allocator("expandable_segments:True", "expandable_segments"),
				Knobs: []Knob{{Get: allocatorSetting("expandable_segments"), Value: true}},
			},
		},
		Effect: &Effect{
			Probe: "evaluates",
			Args: []any{"any(s.get('is_expandable') for s in (torch.empty(8 << 20, device='cuda'), " +
				"torch.cuda.memory._snapshot())[1]['segments'])"}, Active: true, Says: "whether the segments of the allocator's snapshot are expandable",
		},
		Numerics: Same, Cost: "tensors on the GPU cannot be shared with other processes before torch 2.5",
		Source: "https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-alloc-conf; " +
			"pytorch#183387",
	},
	{
		Name: "allocator-async", Title: "GPU memory from cudaMallocAsync",
		Backends: []string{"cuda"}, Library: "torch", Level: Measured, Group: "gpu-allocator",
		Needs: []string{"torch >= 2.0", "cuda >= 11.4"},
		Ways: []Way{{
			Env:   allocator("backend:cudaMallocAsync", "backend"),
			Knobs: []Knob{{Get: "torch.cuda.get_allocator_backend()", Value: "cudaMallocAsync"}},
		}},
		Numerics: Same, Cost: "lacks several options of torch's own allocator",
		Source: "https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-alloc-conf",
	},
	{
		Name: "allocator-gc", Title: "unused GPU memory is freed above 80%, before an allocation fails",
		Backends: gpus, Library: "torch", Level: Measured, Group: "gpu-allocator",
		Needs: []string{"torch >= 1.13"},
		Ways: []Way{{
			Env:   allocator("garbage_collection_threshold:0.8", "garbage_collection_threshold"),
			Knobs: []Knob{{Get: allocatorSetting("garbage_collection_threshold"), Value: 0.8}},
		}},
		Numerics: Same,
		Source:   "https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-alloc-conf",
	},
	{
		Name: "fused-optimizer", Title: "one kernel for the optimizer's step",
		Backends: []string{"cuda", "rocm", "mps", "cpu"}, Library: "torch", Level: Safe,
		Ways: []Way{
			{When: []string{"backend in cuda rocm", "torch >= 2.0"}, Hook: "fuse_optimizers", Value: "cuda", Hand: fusedByHand},
			{When: []string{"backend = cpu", "torch >= 2.4"}, Hook: "fuse_optimizers", Value: "cpu", Hand: fusedByHand},
			{When: []string{"backend = mps", "torch >= 2.6"}, Hook: "fuse_optimizers", Value: "mps", Hand: fusedByHand},
		},
		Effect: &Effect{
			Probe: "fused_kernel", Args: []any{"=backend"}, Active: true,
			Says: "whether a step of AdamW runs aten::_fused_adamw_",
		},
		Numerics: Rounding,
		Source:   "https://docs.pytorch.org/docs/stable/generated/torch.optim.AdamW.html; torch/utils/_foreach_utils.py",
	},
	{
		Name: "pinned-loaders", Title: "batches in pinned memory, so that copies can overlap",
		Backends: gpus, Library: "torch", Level: Safe,
		Needs:    []string{"memory_free_mib >= 2048"},
		Ways:     []Way{{Hook: "pin_loaders", Value: true, Hand: "pin_memory=True for each DataLoader"}},
		Effect:   &Effect{Probe: "pinned_batch", Active: true, Says: "whether a batch of a DataLoader is pinned"},
		Numerics: Same, Cost: "the batches in flight take host memory that cannot be swapped",
		Source: "https://docs.pytorch.org/docs/stable/data.html#memory-pinning",
	},
	{
		Name: "pinned-by-register", Title: "faster pinned memory: malloc, then registered by 8 threads",
		Backends: []string{"cuda"}, Library: "torch", Level: Measured,
		Needs: []string{"torch >= 2.1", "threads >= 8"},
		Ways: []Way{{
			Env:   allocator("pinned_use_cuda_host_register:True,pinned_num_register_threads:8", "pinned_"),
			Knobs: []Knob{{Get: allocatorSetting("pinned_use_cuda_host_register"), Value: true}},
		}},
		Numerics: Same,
		Source:   "https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-alloc-conf",
	},
	{
		Name: "near-gpu", Title: "the process on the CPU cores next to the GPU",
		Backends: gpus, Level: Hardware,
		Needs: []string{"os = linux", "nodes >= 2", "gpu_cores known"},
		Ways:  []Way{{Hook: "bind_process", Value: "=gpu_cores", Start: "taskset -c {value}"}},
		Effect: &Effect{
			Probe: "runs_on", Args: []any{"=gpu_cores"},
			Says: "on which core a thread runs, and which cores new threads may use",
		},
		Numerics: Same, Cost: "loaders and the program share the cores of one node",
		Source: "https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html; /sys/bus/pci/devices/*/local_cpulist",
	},
	{
		Name: "tf32", Title: "float32 products on tensor cores, with 10 bits of mantissa",
		Backends: []string{"cuda"}, Library: "torch", Level: Hardware,
		Needs: []string{"compute_capability >= 8.0", "torch >= 1.12", "NVIDIA_TF32_OVERRIDE != 0"},
		// The older names set both views of the state, in every version up to 2.15; the newer ones make
		// every reader of the older names fail, torch.compile of 2.9 and 2.10 among them.
		Ways: []Way{
			{Knobs: []Knob{{Set: "torch.backends.cuda.matmul.allow_tf32", Value: true}, {
				Set:   "torch.backends.cudnn.allow_tf32",
				Value: true,
			}}},
			{When: []string{"torch >= 2.11"}, Knobs: []Knob{
				{Set: "torch.backends.cuda.matmul.fp32_precision", Value: "tf32"},
				{Set: "torch.backends.cudnn.conv.fp32_precision", Value: "tf32"},
				{Set: "torch.backends.cudnn.rnn.fp32_precision", Value: "tf32"},
			}},
		},
		Effect: &Effect{
			Probe: "matmul_error", Args: []any{"cuda", "float32", 2e-5, 5e-3}, Active: true,
			Says: "the error of a float32 product against float64",
		},
		Numerics: Changed, Live: true,
		Source: "https://docs.pytorch.org/docs/stable/notes/cuda.html#tensorfloat-32-tf32-on-ampere-and-later-devices; " +
			"pytorch#166387",
	},
	{
		Name: "cudnn-benchmark", Title: "cuDNN or MIOpen tries its convolution algorithms and keeps the fastest",
		Backends: gpus, Library: "torch", Level: Measured,
		Ways: []Way{{Knobs: []Knob{{Set: "torch.backends.cudnn.benchmark", Value: true}}}},
		Effect: &Effect{
			Probe: "first_convolution", Args: []any{"cuda"}, Active: true,
			Says: "whether the first convolution of a shape runs more kernels than the second",
		},
		Numerics: Rounding, Live: true, Cost: "each new shape is tried again: bad for inputs of varying length",
		Source: "https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cudnn.benchmark",
	},
	{
		Name: "cudnn-benchmark-limit", Title: "cuDNN tries all of its convolution algorithms, not ten",
		Backends: []string{"cuda"}, Library: "torch", Level: Measured,
		Needs: []string{"torch >= 1.13", "cudnn >= 8.0"},
		Ways: []Way{{Knobs: []Knob{
			{Set: "torch.backends.cudnn.benchmark", Value: true},
			{Set: "torch.backends.cudnn.benchmark_limit", Value: 0},
		}}},
		Effect: &Effect{
			Probe: "first_convolution", Args: []any{"cuda"}, Active: true,
			Says: "whether the first convolution of a shape runs more kernels than the second",
		},
		Numerics: Rounding, Live: true, Cost: "the first step of each shape takes longer still",
		Source: "https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cudnn.benchmark_limit",
	},
	{
		Name: "sdpa-flash", Title: "attention by FlashAttention", Backends: gpus, Library: "torch", Level: Measured, Group: "sdpa",
		Needs: []string{"torch >= 2.3"},
		Ways: []Way{
			{When: []string{"backend = cuda", "compute_capability >= 8.0"}, Knobs: sdpa(true, false, false)},
			{When: []string{"backend = rocm", "gfx in gfx90a gfx942 gfx950 gfx1100 gfx1201"}, Knobs: sdpa(true, false, false)},
		},
		Effect: &Effect{
			Probe: "attention_kernel", Args: []any{"cuda", "flash"}, Active: true,
			Says: "the kernel that torch chooses for an attention in bfloat16",
		},
		Numerics: Rounding, Live: true, Source: "https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cuda.enable_flash_sdp",
	},
	{
		Name: "sdpa-efficient", Title: "attention by the memory-efficient kernel", Backends: gpus, Library: "torch", Level: Measured, Group: "sdpa",
		Needs: []string{"torch >= 2.3"},
		Ways:  []Way{{Knobs: sdpa(false, true, false)}},
		Effect: &Effect{
			Probe: "attention_kernel", Args: []any{"cuda", "efficient"}, Active: true,
			Says: "the kernel that torch chooses for an attention in bfloat16",
		},
		Numerics: Rounding, Live: true, Source: "https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cuda.enable_mem_efficient_sdp",
	},
	{
		Name: "sdpa-cudnn", Title: "attention by cuDNN", Backends: []string{"cuda"}, Library: "torch", Level: Measured, Group: "sdpa",
		Needs: []string{"torch >= 2.5", "compute_capability >= 9.0", "cudnn >= 9.1"},
		Ways:  []Way{{Knobs: sdpa(false, false, true)}},
		Effect: &Effect{
			Probe: "attention_kernel", Args: []any{"cuda", "cudnn"}, Active: true,
			Says: "the kernel that torch chooses for an attention in bfloat16",
		},
		Numerics: Rounding, Live: true, Source: "https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cuda.enable_cudnn_sdp; pytorch#162073",
	},
	{
		Name: "sdpa-math", Title: "attention by plain products, for very short sequences", Backends: []string{
			"cuda", "rocm",
			"cpu",
		}, Library: "torch", Level: Measured, Group: "sdpa",
		Needs: []string{"torch >= 2.3"},
		Ways: []Way{
			{When: []string{"backend in cuda rocm"}, Knobs: sdpa(false, false, false)},
			{When: []string{"backend = cpu"}, Knobs: sdpa(false, false, false)[:1]},
		},
		Effect: &Effect{
			Probe: "attention_kernel", Args: []any{"=device", "math"}, Active: true,
			Says: "the kernel that torch chooses for an attention",
		},
		Numerics: Rounding, Live: true, Source: "https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cuda.enable_math_sdp",
	},
	{
		Name: "cublaslt-workspace", Title: "32 MiB workspace for faster cuBLASLt products",
		Backends: []string{"cuda"}, Library: "torch", Level: Measured,
		Needs: []string{"gpu_free_mib >= 8192"},
		Ways: []Way{
			{
				When: []string{"torch >= 2.13"}, Env: []Variable{{Name: "CUBLASLT_WORKSPACE_SIZE", Value: "32768"}},
				Knobs: []Knob{{Get: "torch.backends.cuda.cublaslt_workspace_size()", Value: 32 << 20}},
			},
			{Env: []Variable{{Name: "CUBLASLT_WORKSPACE_SIZE", Value: "32768"}}},
		},
		Effect: &Effect{
			Probe: "workspace", Args: []any{32 << 20, true}, Active: true,
			Says: "how much memory the first product with a bias takes beside its tensors",
		},
		Numerics: Rounding, Cost: "32 MiB of GPU memory for each stream",
		Source: "aten/src/ATen/cuda/CUDABlas.cpp; " +
			"https://docs.pytorch.org/docs/main/backends.html#torch.backends.cuda.cublaslt_workspace_size",
	},
	{
		Name: "cublas-workspace", Title: "64 MiB workspace for faster cuBLAS products",
		Backends: []string{"cuda"}, Library: "torch", Level: Measured,
		Needs: []string{"gpu_free_mib >= 8192"},
		Ways: []Way{
			{
				When: []string{"torch >= 2.13"}, Env: []Variable{{Name: "CUBLAS_WORKSPACE_CONFIG", Value: ":16384:4"}},
				Knobs: []Knob{{Get: "torch.backends.cuda.cublas_workspace_size()", Value: 64 << 20}},
			},
			{Env: []Variable{{Name: "CUBLAS_WORKSPACE_CONFIG", Value: ":16384:4"}}},
		},
		Effect: &Effect{
			Probe: "workspace", Args: []any{64 << 20, false}, Active: true,
			Says: "how much memory the first product takes beside its tensors",
		},
		Numerics: Rounding, Cost: "64 MiB of GPU memory for each stream",
		Source: "aten/src/ATen/cuda/CublasHandlePool.cpp; https://docs.nvidia.com/cuda/cublas/#results-reproducibility",
	},
	{
		Name: "fp16-accumulation", Title: "float16 products summed in float16",
		Backends: []string{"cuda"}, Library: "torch", Level: Measured,
		Needs: []string{"torch >= 2.7", "compute_capability >= 7.0"},
		Ways:  []Way{{Knobs: []Knob{{Set: "torch.backends.cuda.matmul.allow_fp16_accumulation", Value: true}}}},
		Effect: &Effect{
			Probe: "matmul_error", Args: []any{"cuda", "float16", 6e-4, 1.0}, Active: true,
			Says: "the error of a float16 product against float64",
		},
		Numerics: Changed, Live: true, Cost: "sums can overflow at 65504; twice as fast only on GeForce cards",
		Source: "https://docs.pytorch.org/docs/stable/notes/cuda.html#full-fp16-accumulation-in-fp16-gemms",
	},
	{
		Name: "bf16-autocast", Title: "the model's forward in bfloat16 where that is safe, parameters in float32",
		Backends: []string{"cuda", "rocm", "mps", "cpu"}, Library: "torch", Level: Measured,
		Needs: []string{"torch >= 2.1"},
		Ways: []Way{
			{
				When: []string{"backend = cuda", "compute_capability >= 8.0"}, Hook: "autocast_model", Value: "cuda",
				Hand: autocastByHand("cuda"),
			},
			{
				When: []string{"backend = rocm", "gfx in gfx90a gfx942 gfx950 gfx1100 gfx1101 gfx1200 gfx1201"},
				Hook: "autocast_model", Value: "cuda", Hand: autocastByHand("cuda"),
			},
			{
				When: []string{"backend = mps", "torch >= 2.6", "macos >= 14.0"}, Hook: "autocast_model", Value: "mps",
				Hand: autocastByHand("mps"),
			},
			{
				When: []string{"backend = cpu", "cpu_flags has amx_bf16"}, Hook: "autocast_model", Value: "cpu",
				Hand: autocastByHand("cpu"),
			},
			{
				When: []string{"backend = cpu", "cpu_flags has avx512_bf16"}, Hook: "autocast_model", Value: "cpu",
				Hand: autocastByHand("cpu"),
			},
		},
		Effect: &Effect{
			Probe: "autocast_output", Args: []any{"=device"}, Active: true,
			Says: "the type in which a Linear of a prepared model computes",
		},
		Numerics: Changed,
		Source:   "https://docs.pytorch.org/docs/stable/amp.html",
	},
	{
		Name: "channels-last", Title: "channels-last images, for convolutions",
		Backends: []string{"cuda", "rocm", "cpu"}, Library: "torch", Level: Measured,
		Ways: []Way{{
			Hook: "lay_out_models", Value: "channels_last",
			Hand: "model.to(memory_format=torch.channels_last)",
		}},
		Effect:   &Effect{Probe: "laid_out", Active: true, Says: "the layout of a convolution's output in a prepared model"},
		Numerics: Rounding, Cost: "a program that calls view() on activations may fail",
		Source: "https://docs.pytorch.org/tutorials/intermediate/memory_format_tutorial.html",
	},
	{
		Name: "compile", Title: "the model compiled", Backends: []string{
			"cuda", "rocm",
			"cpu",
		}, Library: "torch", Level: Measured, Group: "compile",
		Needs: []string{"torch >= 2.1", "os != windows"}, Smallest: small, Ways: compiled("default"),
		Effect: &Effect{
			Probe: "compiled_models", Args: []any{"=device"},
			Says: "how many models were handed to the compiler, and how many graphs it has made",
		},
		Numerics: Rounding, Cost: "the first steps take longer; each new shape may recompile",
		Source: "https://docs.pytorch.org/docs/stable/generated/torch.compile.html",
	},
	{
		Name: "compile-reduce-overhead", Title: "the model compiled and replayed as a CUDA graph", Backends: gpus, Library: "torch", Level: Measured, Group: "compile",
		Needs: []string{"torch >= 2.1", "os != windows"}, Smallest: small, Ways: compiled("reduce-overhead"),
		Effect: &Effect{
			Probe: "compiled_models", Args: []any{"=device"},
			Says: "how many models were handed to the compiler, and how many graphs it has made",
		},
		Numerics: Rounding, Cost: "memory for each graph; outputs are overwritten by the next call",
		Source: "https://docs.pytorch.org/docs/stable/generated/torch.compile.html",
	},
	{
		Name: "compile-max-autotune", Title: "the model compiled, each kernel chosen by measurement", Backends: []string{"cuda", "rocm", "cpu"}, Library: "torch", Level: Measured, Group: "compile",
		Needs: []string{"torch >= 2.1", "os != windows"}, Smallest: small, Ways: compiled("max-autotune-no-cudagraphs"),
		Effect: &Effect{
			Probe: "compiled_models", Args: []any{"=device"},
			Says: "how many models were handed to the compiler, and how many graphs it has made",
		},
		Numerics: Rounding, Cost: "minutes of compilation",
		Source: "https://docs.pytorch.org/docs/stable/generated/torch.compile.html",
	},
}

const fusedByHand = "fused=True for Adam and AdamW"

func autocastByHand(device string) string {
	return `torch.autocast("` + device + `", dtype=torch.bfloat16) around calls of the model`
}
