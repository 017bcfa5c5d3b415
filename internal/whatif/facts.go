package whatif

import "saturate/internal/trace"

// Facts are what a graph needs to know of a trace beyond its events.
type Facts struct {
	Steps    []trace.Interval // as the host marks them, by time; at least one
	Threads  []trace.TrackID  // that launch work or run the training loop
	Class    func(trace.EventID) Class
	Wait     func(trace.EventID) Wait                 // of a host call
	Function func(trace.EventID) (trace.NameID, bool) // the user's function around a host call; may be nil

	Loader     []trace.Interval // when the training loop fetched a batch, by time
	LoaderName trace.NameID     // what the loader is called
	InProcess  bool             // the loader prepares batches in the training process
	Optimizer  []trace.Interval // when it updated the weights

	// Faster says how long a piece of work would take in another precision: at best, most likely, at worst. It is false
	// where the precision changes nothing.
	Faster func(work trace.EventID, precision Precision) (Range, bool)

	// Compiled reports whether compiled code launches a kernel, or a CUDA graph does: what is added beside it is fused,
	// and launched with it.
	Compiled func(work trace.EventID) bool

	// Foreach reports whether a kernel updates many tensors at once; may be nil.
	Foreach func(work trace.EventID) bool

	// Alone is how long a collective takes when no rank comes late; false where that is unknown.
	Alone func(work trace.EventID) (int64, bool)
}

// Class is what a piece of GPU work is for.
type Class uint8

// The classes.
const (
	Compute     Class = iota // a kernel that multiplies matrices, or whose name does not tell
	Elementwise              // a kernel that only moves memory: what a compiler can fuse
	Update                   // a kernel of the optimizer
	Collective               // talks to other GPUs
	PageableIn               // a copy to the GPU from pageable memory
	PinnedIn                 // … from pinned memory
	CopyOut                  // a copy to the host
	CopyOther                // another copy, or a fill
)

func (c Class) isCopy() bool { return c >= PageableIn }

// Wait is why a host call may wait for the GPU.
type Wait uint8

// The waits.
const (
	NoWait     Wait = iota
	ScalarWait      // one value is read back
	ShapeWait       // a shape has to be known
	ResultWait      // a tensor is copied to the host
	DeviceWait      // for everything
	InputWait       // for a copy to the GPU
	OtherWait
	queueWait // the queue of launched work is full
	blockWait // another call that did not return before work had ended
)

// Precision is a number format that matrix products can use.
type Precision string

// The precisions.
const (
	BF16 Precision = "bf16"
	TF32 Precision = "tf32"
)

// Range is an uncertain time or factor.
type Range struct{ Low, Mid, High float64 }

func (r Range) at(b bias) float64 {
	switch b {
	case optimistic:
		return r.Low
	case pessimistic:
		return r.High
	}
	return r.Mid
}
