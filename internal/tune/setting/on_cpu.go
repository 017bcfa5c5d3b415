package setting

import "fmt"

// What CPUs have: threads, memory, precision.

var cpu = []string{"cpu"}

// threads sets the number of threads before the start, where both torch and JAX's host side see it.
func threads(count any) []Way {
	return []Way{{
		Env:   []Variable{{Name: "OMP_NUM_THREADS", Value: fmt.Sprint(count), Rivals: []string{"MKL_NUM_THREADS"}}},
		Knobs: []Knob{{Set: "torch.set_num_threads()", Get: "torch.get_num_threads()", Value: count}},
	}}
}

func preload(library string) []Way {
	return []Way{{Env: []Variable{{Name: "LD_PRELOAD", Value: "=libraries." + library, Join: ":", Key: "malloc"}}}}
}

func mapped(library string) *Effect {
	return &Effect{
		Probe: "mapped", Args: []any{library},
		Says: "whether the library is in the process, and malloc is its own",
	}
}

var onCPU = []Setting{
	{
		Name: "threads", Title: "one thread for each core that the program may use", Backends: cpu, Library: "torch", Level: Hardware, Group: "threads",
		Ways: threads("=cores"),
		Effect: &Effect{
			Probe: "working_threads", Args: []any{"=cores"}, Active: true,
			Says: "how many threads work in a large sum",
		},
		Numerics: Rounding, Live: true,
		Source: "https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
	},
	{
		Name: "threads-half", Title: "one thread for every second core", Backends: cpu, Library: "torch", Level: Measured, Group: "threads",
		Needs: []string{"cores >= 2"},
		Ways:  threads("=cores/2"),
		Effect: &Effect{
			Probe: "working_threads", Args: []any{"=cores/2"}, Active: true,
			Says: "how many threads work in a large sum",
		},
		Numerics: Rounding, Live: true,
		Source: "https://docs.pytorch.org/docs/stable/notes/cpu_threading_torchscript_inference.html",
	},
	{
		Name: "threads-one", Title: "a single thread, for small models", Backends: cpu, Library: "torch", Level: Measured, Group: "threads",
		Needs: []string{"cores >= 4"},
		Ways:  threads(1),
		Effect: &Effect{
			Probe: "working_threads", Args: []any{1}, Active: true,
			Says: "how many threads work in a large sum",
		},
		Numerics: Rounding, Live: true,
		Source: "https://docs.pytorch.org/docs/stable/notes/cpu_threading_torchscript_inference.html",
	},
	{
		Name: "interop-threads", Title: "one thread between operators, the rest within them", Backends: cpu, Library: "torch", Level: Measured,
		Ways: []Way{{Knobs: []Knob{{
			Set: "torch.set_num_interop_threads()", Get: "torch.get_num_interop_threads()",
			Value: 1,
		}}}},
		Numerics: Same, Final: true,
		Source: "https://docs.pytorch.org/docs/stable/generated/torch.set_num_interop_threads.html",
	},
	{
		Name: "bound-threads", Title: "each thread stays on its core", Backends: cpu, Library: "torch", Level: Measured,
		Needs: []string{"os = linux", "openmp in gomp iomp5 omp"},
		Ways: []Way{{Env: []Variable{{Name: "OMP_PROC_BIND", Value: "close", Rivals: []string{
			"GOMP_CPU_AFFINITY",
			"KMP_AFFINITY",
		}}, {Name: "OMP_PLACES", Value: "cores"}}, Knobs: []Knob{{Get: "openmp('omp_get_proc_bind')", Value: 3}}}},
		Effect:   &Effect{Probe: "bound", Active: true, Says: "how many cores each pool thread may use"},
		Numerics: Same, Cost: "forked loaders stay on the main thread's core",
		Source: "https://www.openmp.org/spec-html/5.2/openmpse81.html",
	},
	{
		Name: "iomp-blocktime", Title: "idle Intel OpenMP threads sleep at once", Backends: cpu, Library: "torch", Level: Measured,
		Needs: []string{"openmp = iomp5"},
		Ways: []Way{{
			Env:   []Variable{{Name: "KMP_BLOCKTIME", Value: "1"}},
			Knobs: []Knob{{Get: "openmp('kmp_get_blocktime')", Value: 1}},
		}},
		Numerics: Same,
		Source:   "https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
	},
	{
		Name: "jemalloc", Title: "memory from jemalloc", Backends: cpu, Level: Measured, Group: "malloc",
		Needs:    []string{"os = linux", "libraries has jemalloc"},
		Ways:     preload("jemalloc"),
		Effect:   mapped("libjemalloc"),
		Numerics: Same,
		Source:   "https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
	},
	{
		Name: "tcmalloc", Title: "memory from tcmalloc", Backends: cpu, Level: Measured, Group: "malloc",
		Needs:    []string{"os = linux", "libraries has tcmalloc"},
		Ways:     preload("tcmalloc"),
		Effect:   mapped("libtcmalloc"),
		Numerics: Same,
		Source:   "https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
	},
	{
		Name: "kept-memory", Title: "malloc keeps memory instead of returning it after each tensor", Backends: cpu, Level: Measured, Group: "malloc",
		Needs: []string{"os = linux", "libc = glibc", "memory_free_mib >= 2048"},
		Ways: []Way{{Env: []Variable{
			{Name: "MALLOC_MMAP_THRESHOLD_", Value: "1073741824"},
			{Name: "MALLOC_TRIM_THRESHOLD_", Value: "2147483648"},
			{Name: "MALLOC_TOP_PAD_", Value: "67108864"},
		}}},
		Effect: &Effect{
			Probe: "page_faults", Active: true,
			Says: "how many pages are faulted in when memory is freed and taken again",
		},
		Numerics: Same, Cost: "the program keeps memory it used once",
		Source: "https://www.gnu.org/software/libc/manual/html_node/Memory-Allocation-Tunables.html",
	},
	{
		Name: "huge-pages", Title: "tensors in huge pages", Backends: cpu, Library: "torch", Level: Measured,
		Needs:    []string{"os = linux", "huge_pages in always madvise", "torch >= 2.1"},
		Ways:     []Way{{Env: []Variable{{Name: "THP_MEM_ALLOC_ENABLE", Value: "1"}}}},
		Effect:   &Effect{Probe: "huge_pages", Active: true, Says: "how much of a 128 MiB tensor is in huge pages"},
		Numerics: Same, Cost: "more memory for many tensors of a few MiB",
		Source: "c10/core/impl/alloc_cpu.cpp",
	},
	{
		Name: "flush-denormals", Title: "denormal numbers become zero", Backends: cpu, Library: "torch", Level: Measured,
		Needs: []string{"arch in x86_64 arm64 aarch64"},
		Ways: []Way{{Knobs: []Knob{{
			Set: "torch.set_flush_denormal()", Value: true,
			Get: "float(torch.tensor([1e-310], dtype=torch.float64) * 1) == 0.0",
		}}}},
		Effect: &Effect{
			Probe: "evaluates", Args: []any{"float(torch.tensor([1e-310], dtype=torch.float64) * 1) == 0.0"},
			Says: "whether 1e-310 times one is zero",
		},
		Numerics: Changed, Live: true, Cost: "in the thread that sets it, and in threads that start later",
		Source: "https://docs.pytorch.org/docs/stable/generated/torch.set_flush_denormal.html",
	},
	{
		Name: "bf16-products", Title: "float32 products in bfloat16 on AMX", Backends: cpu, Library: "torch", Level: Hardware,
		Needs: []string{"cpu_flags has amx_bf16", "torch >= 2.1"},
		// The older name sets both views; the newer one makes every reader of the older fail.
		Ways: []Way{{Knobs: []Knob{{
			Set: "torch.set_float32_matmul_precision()",
			Get: "torch.get_float32_matmul_precision()", Value: "medium",
		}}}},
		Effect: &Effect{
			Probe: "matmul_error", Args: []any{"cpu", "float32", 1e-3, 2e-2}, Active: true,
			Says: "the error of a float32 product against float64",
		},
		Numerics: Changed, Live: true,
		Source: "https://docs.pytorch.org/docs/stable/generated/torch.set_float32_matmul_precision.html",
	},
}
