package trace

// Kind says what an event is. It is the same for every format read.
type Kind uint8

// The kinds of events.
const (
	Uncategorised Kind = iota // the format does not say (yet); importers classify these by name
	Other                     // a category this program does not know; see [Category]
	CPUOp                     // an operator or a function of the framework, on the host
	Annotation                // a range marked by the user or the profiler, on the host: ProfilerStep, NVTX, record_function
	Python                    // a Python frame
	Runtime                   // a call of the CUDA or HIP runtime
	Driver                    // a call of the CUDA driver
	Overhead                  // the profiler itself at work
	Collective                // a collective, as the host sees it
	Kernel                    // a kernel running on a GPU
	Memcpy                    // a copy by a GPU
	Memset                    // a fill by a GPU
	GPUAnnotation             // a user's range as it appears on a stream: from its first to its last kernel
	GPUSync                   // a wait on a stream, an event or a context, as the GPU sees it
	Instant                   // a moment without duration
	Span                      // the profiler's own frame around the whole recording

	numKinds
)

var kindNames = [numKinds]string{
	"uncategorised", "other", "cpu_op", "user_annotation", "python_function", "cuda_runtime", "cuda_driver",
	"overhead", "collective", "kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation", "cuda_sync", "instant", "span",
}

// String is the kind's name, as Kineto writes it where Kineto has one.
func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return "invalid"
}

// Work reports whether the event keeps a GPU busy: a kernel, a copy or a fill.
func (k Kind) Work() bool { return k == Kernel || k == Memcpy || k == Memset }

// OnGPU reports whether the event lies on a GPU's timeline, be it work or not.
func (k Kind) OnGPU() bool { return k.Work() || k == GPUAnnotation || k == GPUSync }

// API reports whether the event is a call of the GPU's runtime or driver.
func (k Kind) API() bool { return k == Runtime || k == Driver }
