package run

import (
	"regexp"
	"slices"
	"strings"
)

// relevantPrefixes are the variables that change what a training program does or how fast it does it.
var relevantPrefixes = []string{
	"CUDA", "CUBLAS", "CUDNN", "NVIDIA_", "NCCL_", "NVTE_",
	"HIP_", "HSA_", "ROCR_", "RCCL_", "MIOPEN_", "HIPBLASLT_",
	"TORCH", "PYTORCH_", "TRITON_", "GLOO_", "UCX_",
	"JAX_", "XLA_", "TF_",
	"HF_", "TRANSFORMERS_", "TOKENIZERS_", "ACCELERATE_", "DEEPSPEED_", "WANDB_MODE",
	"OMP_", "MKL_", "KMP_", "GOMP_", "OPENBLAS_", "NUMEXPR_", "ONEDNN_", "DNNL_",
	"PYTHON", "SATURATE_",
}

// relevantNames are those that no prefix covers.
var relevantNames = []string{
	"GPU_BACKEND", "USE_CUDA", "OPTIMIZATION_LEVEL",
	"WORLD_SIZE", "RANK", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT",
	"SLURM_CPUS_PER_TASK", "SLURM_CPU_BIND", "SLURM_NTASKS", "SLURM_GPUS", "SLURM_JOB_PARTITION",
	"LD_PRELOAD", "LD_LIBRARY_PATH", "MALLOC_CONF", "VIRTUAL_ENV", "CONDA_DEFAULT_ENV",
}

// ours are how the parts of this program speak to each other: they say nothing about the user's.
var ours = []string{"SATURATE_PROBE", "SATURATE_TUNING", "SATURATE_HOME"}

// masked stands in the place of a secret.
const masked = "(masked)"

// relevantVariables keeps the variables that matter, without their secrets.
func relevantVariables(environ []string) map[string]string {
	kept := map[string]string{}
	for _, entry := range environ {
		name, value, ok := strings.Cut(entry, "=")
		relevant := slices.Contains(relevantNames, name) ||
			slices.ContainsFunc(relevantPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if ok && relevant && !slices.Contains(ours, name) {
			kept[name] = maskVariable(name, value)
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

func maskVariable(name, value string) string {
	if isSecretName(name) && value != "" {
		return masked
	}
	return maskValue(value)
}

var (
	userInURL   = regexp.MustCompile(`(\w+://)[^\s/]+@`)
	knownSecret = regexp.MustCompile(`\b(hf_|sk-|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abp]-|AKIA)[\w-]{12,}|(?i:bearer\s+)\S+`)
)

// maskValue hides what is a secret under any name: the user of a URL, and keys of well-known form.
func maskValue(value string) string {
	value = userInURL.ReplaceAllString(value, "${1}"+masked+"@")
	return knownSecret.ReplaceAllString(value, masked)
}

var (
	secretOption = regexp.MustCompile(`(?i)^(?:[\w.-]*[._-])?(?:token|key|api-?key|secret|password|passwd|credentials?|auth)$`)
	assignment   = regexp.MustCompile(`([\w.-]+)=("[^"]*"|'[^']*'|[^\s'"]+)`)
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
