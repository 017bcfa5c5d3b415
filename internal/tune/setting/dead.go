package setting

import "strings"

// DeadKnob is something that can be set and that nobody reads.
type DeadKnob struct {
	Name    string   `json:"name"`    // an attribute, torch.backends.cudnn.workspace_limit, or a variable of the environment
	Instead string   `json:"instead"` // what to use, a sentence without its full stop
	When    []string `json:"when,omitempty"`
}

// IsVariable tells variables of the environment from attributes.
func (d DeadKnob) IsVariable() bool { return !strings.Contains(d.Name, ".") }

// DeadVariables are those that the environment of a machine sets and its libraries do not read.
func DeadVariables(m Machine) []DeadKnob {
	facts := m.facts()
	var found []DeadKnob
	for _, d := range dead {
		_, set := m.Variables[d.Name]
		if _, why := (Way{When: d.When}).fits(facts); set && d.IsVariable() && why == "" {
			found = append(found, d)
		}
	}
	return found
}

// The variables were looked for in every library of torch 2.9 and 2.15 and of the cuDNN that came with them.
var dead = []DeadKnob{
	{
		Name: "torch.backends.cudnn.workspace_limit",
		Instead: "cuDNN's workspace has no limit that torch could set; CUBLASLT_WORKSPACE_SIZE sets that of cuBLASLt, and " +
			"torch.backends.cudnn.benchmark_limit how many algorithms are tried",
	},
	{Name: "torch.backends.cudnn.benchmarks", Instead: "torch.backends.cudnn.benchmark = True"},
	{Name: "torch.backends.cudnn.fastest", Instead: "torch.backends.cudnn.benchmark = True"},
	{Name: "torch.backends.cudnn.verbose", Instead: "CUDNN_LOGINFO_DBG=1 and CUDNN_LOGDEST_DBG=stdout in the environment"},
	{Name: "torch.backends.cuda.allow_tf32", Instead: "torch.backends.cuda.matmul.allow_tf32 = True"},
	{Name: "torch.backends.allow_tf32", Instead: "torch.backends.cuda.matmul.allow_tf32 = True"},
	{Name: "torch.backends.benchmark", Instead: "torch.backends.cudnn.benchmark = True"},
	{Name: "torch.backends.deterministic", Instead: "torch.backends.cudnn.deterministic = True"},
	{
		Name:    "torch.backends.cuda.max_split_size_mb",
		Instead: "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:… in the environment",
	},
	{Name: "torch.backends.cuda.matmul_allow_tf32", Instead: "torch.backends.cuda.matmul.allow_tf32 = True"},
	{Name: "torch.backends.cuda.enable_flash_sdp", Instead: "torch.backends.cuda.enable_flash_sdp(True), a call"},
	{Name: "torch.backends.cuda.flash_sdp_enabled", Instead: "torch.backends.cuda.enable_flash_sdp(True), a call"},
	{Name: "torch.backends.mps.fast_math", Instead: "PYTORCH_MPS_FAST_MATH=1 in the environment"},
	{
		Name:    "torch.backends.mps.allow_tf32",
		Instead: "Apple's GPUs have no TF32; torch.autocast(\"mps\", dtype=torch.bfloat16) computes with less precision",
	},
	{Name: "torch.cuda.memory_fraction", Instead: "torch.cuda.set_per_process_memory_fraction(…)"},
	{Name: "torch.cuda.max_split_size_mb", Instead: "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:… in the environment"},
	{Name: "torch.set_num_threads", Instead: "torch.set_num_threads(…), a call"},
	{Name: "torch.set_float32_matmul_precision", Instead: "torch.set_float32_matmul_precision(\"high\"), a call"},
	{Name: "torch.float32_matmul_precision", Instead: "torch.set_float32_matmul_precision(\"high\"), a call"},

	{Name: "CUDNN_CONV_WSCAP_DBG", Instead: "the cuDNN that torch comes with has no such limit; let " +
		"torch.backends.cudnn.benchmark choose by measurement", When: []string{"torch >= 2.9"}},
	{Name: "DISABLE_TF32", Instead: "NVIDIA_TF32_OVERRIDE=0, or torch.backends.cuda.matmul.allow_tf32 = False"},
	{Name: "CUDNN_BENCHMARK", Instead: "torch.backends.cudnn.benchmark = True in the program"},
	{Name: "TORCH_CUDNN_BENCHMARK", Instead: "torch.backends.cudnn.benchmark = True in the program"},
	{Name: "CUDNN_WORKSPACE_LIMIT", Instead: "CUBLASLT_WORKSPACE_SIZE for products; convolutions have no limit to set"},
	{Name: "TORCH_NUM_THREADS", Instead: "OMP_NUM_THREADS, before the program starts"},
	{
		Name: "PYTORCH_ALLOC_CONF", Instead: "PYTORCH_CUDA_ALLOC_CONF, which this version of torch reads",
		When: []string{"torch >= 2.9", "torch < 2.10", "backend = cuda"},
	},
	{
		Name: "PYTORCH_ALLOC_CONF", Instead: "PYTORCH_CUDA_ALLOC_CONF: the other name came with torch 2.9",
		When: []string{"torch < 2.9", "backend = cuda"},
	},
	{Name: "KMP_AFFINITY", Instead: "OMP_PROC_BIND=close with OMP_PLACES=cores: torch runs " +
		"GNU's threads here, which do not read it", When: []string{"openmp = gomp"}},
	{
		Name: "KMP_BLOCKTIME", Instead: "OMP_WAIT_POLICY=passive: torch runs GNU's threads here, which do not read it",
		When: []string{"openmp = gomp"},
	},
	{Name: "GOMP_CPU_AFFINITY", Instead: "OMP_PROC_BIND=close with OMP_PLACES=cores: torch does not run GNU's threads here", When: []string{"openmp in iomp5 omp"}},
	{
		Name:    "PYTORCH_TUNABLEOP_ENABLED",
		Instead: "torch.compile with mode max-autotune: on NVIDIA there is only one kernel to choose from", When: []string{"backend = cuda"},
	},
}
