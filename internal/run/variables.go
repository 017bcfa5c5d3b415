package run

import (
	"regexp"
	"slices"
	"strings"
)

// families are libraries whose variables all choose how something is computed. What in them is named like a secret is
// left out.
var families = []string{
	"CUDA_", "CUBLAS_", "CUBLASLT_", "CUDNN_", "NCCL_", "NVTE_",
	"HIP_", "HSA_", "ROCR_", "RCCL_", "MIOPEN_", "HIPBLASLT_",
	"TORCH_", "TORCHINDUCTOR_", "TORCHDYNAMO_", "PYTORCH_", "TRITON_", "GLOO_", "UCX_",
	"XLA_", "OMP_", "MKL_", "KMP_", "GOMP_", "OPENBLAS_", "NUMEXPR_", "ONEDNN_", "DNNL_",
}

// relevant are further variables that change what a training program does or how fast it does it. A variable that is in
// neither list is not kept: nobody knows what it holds.
var relevant = []string{
	"GPU_BACKEND", "USE_CUDA", "OPTIMIZATION_LEVEL", "SATURATE_GPU_BACKEND", "SATURATE_OPTIMIZATION_LEVEL",
	"NVIDIA_VISIBLE_DEVICES", "NVIDIA_TF32_OVERRIDE", "NVIDIA_DRIVER_CAPABILITIES",
	"JAX_PLATFORMS", "JAX_ENABLE_X64", "JAX_DEFAULT_MATMUL_PRECISION", "JAX_COMPILATION_CACHE_DIR", "JAX_DISABLE_JIT", "JAX_TRACEBACK_FILTERING",
	"TF_CPP_MIN_LOG_LEVEL", "TF_FORCE_GPU_ALLOW_GROWTH", "TF_ENABLE_ONEDNN_OPTS", "TF_XLA_FLAGS", "TF_GPU_THREAD_MODE",
	"TOKENIZERS_PARALLELISM", "HF_HOME", "HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_DATASETS_CACHE", "HF_HUB_CACHE", "TRANSFORMERS_OFFLINE", "TRANSFORMERS_CACHE",
	"ACCELERATE_MIXED_PRECISION", "ACCELERATE_DYNAMO_BACKEND", "ACCELERATE_USE_FSDP", "ACCELERATE_USE_DEEPSPEED", "WANDB_MODE",
	"PYTHONHASHSEED", "PYTHONOPTIMIZE", "PYTHONMALLOC", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONPATH", "PYTHONHOME", "PYTHON_GIL", "PYTHONFAULTHANDLER",
	"WORLD_SIZE", "RANK", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT",
	"SLURM_CPUS_PER_TASK", "SLURM_CPU_BIND", "SLURM_NTASKS", "SLURM_GPUS", "SLURM_JOB_PARTITION",
	"LD_PRELOAD", "LD_LIBRARY_PATH", "MALLOC_CONF", "VIRTUAL_ENV", "CONDA_DEFAULT_ENV",
}

// masked stands in the place of a secret.
const masked = "(masked)"

// relevantVariables keeps the variables that matter, without their secrets.
func relevantVariables(environ []string) map[string]string {
	kept := map[string]string{}
	for _, entry := range environ {
		name, value, ok := strings.Cut(entry, "=")
		known := slices.Contains(relevant, name) ||
			!isSecretName(name) && slices.ContainsFunc(families, func(family string) bool { return strings.HasPrefix(name, family) })
		if ok && known {
			kept[name] = maskValue(value)
		}
	}
	return kept
}

// secretWords give a secret away by the name it is kept under.
var secretWords = []string{"TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH"}

// isSecretName is generous: to hide too much is better than to publish a password.
// Tokenizers are the one exception, since their settings matter.
func isSecretName(name string) bool {
	name = strings.ReplaceAll(strings.ToUpper(name), "TOKENIZER", "")
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) })
}

var (
	userInURL   = regexp.MustCompile(`(\w+://)[^\s/]+@`)
	userAtHost  = regexp.MustCompile(`(^|[\s='"])[\w.%+-]+:[^\s:@/'"]+@([\w-]+(?:\.[\w-]+)*(?::\d+)?(?:/|$|[\s'"]))`)
	inQuery     = regexp.MustCompile(`(?i)([?&;](?:[\w.-]*[-_.])?(?:sig|signature|token|key|apikey|secret|password|passwd|pwd|auth|code|credential|credentials|session|sas)=)[^&\s;'"#]+`)
	inObject    = regexp.MustCompile(`(?i)((["'])(?:[\w.-]*[-_.]|[a-z]*)?(?:token|key|apikey|secret|password|passwd|pwd|auth|authorization|credential|credentials|cookie)["']\s*:\s*["'])[^"']*`)
	inHeader    = regexp.MustCompile(`(?i)((?:^|[\s'"])(?:(?:proxy-)?authorization|cookie|set-cookie|[\w-]*(?:token|api-?key|secret|password|auth)[\w-]*):\s*)[^\s'"].*`)
	knownSecret = regexp.MustCompile(`\b(hf_|sk-|sk_live_|rk_live_|ghp_|gho_|ghs_|ghu_|github_pat_|glpat-|xox[abpsr]-|AKIA|ASIA|AIza|npm_|pypi-|dop_v1_|ya29\.)[\w.-]{12,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|(?i:(?:bearer|basic)\s+)\S+`)
)

// maskValue hides what is a secret under any name: the user of an address, signatures in a query, tokens in JSON and in
// headers, and keys of well-known form.
func maskValue(value string) string {
	value = inHeader.ReplaceAllString(value, "${1}"+masked)
	value = userInURL.ReplaceAllString(value, "${1}"+masked+"@")
	value = userAtHost.ReplaceAllString(value, "${1}"+masked+"@${2}")
	value = inQuery.ReplaceAllString(value, "${1}"+masked)
	value = inObject.ReplaceAllString(value, "${1}"+masked)
	return knownSecret.ReplaceAllString(value, masked)
}

var (
	secretOption = regexp.MustCompile(`(?i)^(?:[\w.-]*[._-])?(?:token|key|api-?key|apikey|secret|password|passwd|passphrase|pass|pwd|pat|sas|credentials?|auth|cookie|bearer|signature|jwt)$`)
	assignment   = regexp.MustCompile(`([\w.-]+)=("[^"]*"|'[^']*'|[^\s'"&]+)`)
)

// MaskCommand hides the secrets in a command line: the value after --hf-token, the right side of
// --api-key=… and HF_TOKEN=…, users in URLs, and keys of well-known form. Options are hidden only when
// their last word is a secret one: --max-tokens and --num_key_value_heads are not.
func MaskCommand(command []string) []string {
	out := make([]string, len(command))
	for i, arg := range command {
		if i > 0 && strings.HasPrefix(command[i-1], "-") && isSecretOption(command[i-1]) && !strings.HasPrefix(arg, "-") {
			out[i] = masked
			continue
		}
		out[i] = maskValue(assignment.ReplaceAllStringFunc(arg, func(text string) string {
			name, _, _ := strings.Cut(text, "=")
			if isSecretOption(name) || name == strings.ToUpper(name) && isSecretName(name) {
				return name + "=" + masked
			}
			return text
		}))
	}
	return out
}

func isSecretOption(name string) bool { return secretOption.MatchString(strings.TrimLeft(name, "-")) }
