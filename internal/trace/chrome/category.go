package chrome

import (
	"bytes"

	"saturate/internal/trace"
)

// kinds maps the categories of Kineto, of its older versions and of its other backends.
var kinds = map[string]trace.Kind{
	"cpu_op": trace.CPUOp, "Operator": trace.CPUOp, "hpu_op": trace.CPUOp,
	"user_annotation": trace.Annotation, "python_function": trace.Python,
	"kernel": trace.Kernel, "Kernel": trace.Kernel, "mtia_ccp_events": trace.Kernel,
	"gpu_memcpy": trace.Memcpy, "Memcpy": trace.Memcpy,
	"gpu_memset": trace.Memset, "Memset": trace.Memset,
	"gpu_user_annotation": trace.GPUAnnotation,
	"cuda_runtime":        trace.Runtime, "Runtime": trace.Runtime, "mtia_runtime": trace.Runtime, "glow_runtime": trace.Runtime,
	"xpu_runtime": trace.Runtime, "privateuse1_runtime": trace.Runtime,
	"cuda_driver": trace.Driver, "xpu_driver": trace.Driver, "privateuse1_driver": trace.Driver,
	"cuda_sync": trace.GPUSync, "cuda_event": trace.GPUSync, "xpu_sync": trace.GPUSync,
	"collective_comm": trace.Collective, "overhead": trace.Overhead, "Trace": trace.Span,
	"Node": trace.CPUOp, "Session": trace.Annotation, // of ONNX Runtime
}

// rocmKind corrects what older ROCm writes as kernels: copies and fills by the runtime's
// own kernels.
func rocmKind(kind trace.Kind, name []byte) trace.Kind {
	if kind != trace.Kernel {
		return kind
	}
	switch {
	case bytes.HasPrefix(name, []byte("__amd_rocclr_copyBuffer")), bytes.HasPrefix(name, []byte("MEMORY_COPY_")):
		return trace.Memcpy
	case bytes.HasPrefix(name, []byte("__amd_rocclr_fillBuffer")):
		return trace.Memset
	}
	return kind
}

// domain says on which sort of track events of a kind lie.
func domain(kind trace.Kind) trace.Domain {
	switch {
	case kind.Work():
		return trace.Stream
	case kind.OnGPU():
		return trace.StreamNotes
	case kind == trace.Span:
		return trace.Frame
	}
	return trace.HostThread
}
