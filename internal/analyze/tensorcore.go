package analyze

import "strings"

// The name of a kernel shows whether it uses the GPU's matrix units: libraries write the
// instruction, the tile or the input type into it.

// TensorCores says whether a kernel multiplies matrices on the matrix units.
type TensorCores string

// The answers.
const (
	OnTensorCores   TensorCores = "yes"
	NoTensorCores   TensorCores = "no"
	MaybeTensor     TensorCores = "unknown"        // multiplies matrices, but the name does not tell how
	NotMultiplying  TensorCores = "not_applicable" // multiplies none
	multiplierWords             = "gemm gemv conv1d conv2d conv3d convolution attention fmha flash matmul _mm_ wgrad dgrad fprop cutlass xmma nvjet cijk igemm attn_fwd bwd_kernel_dk bwd_kernel_dq"
	onUnits                     = "hmma imma gmma wgmma tensorop h884 s884 h1688 s1688 16816 i8816 _tf32 bf16bf16 f16f16 tf32tf32 tf32f32 bf16_bf16 f16_f16 nvjet _mi16x16 _mi32x32 mfma gtcx flash_fwd flash_bwd cudnn_generated_fort_native_sdpa"
	addsUp                      = "split_k_kernel splitkreduce" // of a product computed in parts: runs after the kernel that multiplies
	offUnits                    = "sgemm dgemm ffma simt _f32f32_f32f32_f32_ gemv gemmk1"
)

var multiplierList, addList, onList, offList = strings.Fields(multiplierWords), strings.Fields(addsUp), strings.Fields(onUnits), strings.Fields(offUnits)

// tensorCores reports whether a kernel uses them.
func tensorCores(name string) TensorCores {
	lower := strings.ToLower(name)
	if i := strings.IndexByte(lower, '<'); i > 0 && strings.HasPrefix(lower, "void at::native") {
		lower = lower[:i] // PyTorch's own kernels: the arguments name types, not instructions
	}
	switch {
	case !containsAny(lower, multiplierList), containsAny(lower, addList):
		return NotMultiplying
	case containsAny(lower, onList):
		return OnTensorCores
	case containsAny(lower, offList):
		return NoTensorCores
	}
	return MaybeTensor
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
