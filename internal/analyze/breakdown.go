package analyze

import "saturate/internal/trace"

// Step is where the time of one step went. The parts add up to its length: what the GPU
// did first, then, while it had nothing to do, what the host did.
type Step struct {
	Number          int64 `json:"number"`              // as the program or the profiler counts
	StartNS         int64 `json:"start_ns"`            // start of the step
	EndNS           int64 `json:"end_ns"`              // end of the step
	ComputeNS       int64 `json:"compute_ns"`          // the GPU computes
	CommunicationNS int64 `json:"communication_ns"`    // not hidden behind compute
	H2DNS           int64 `json:"h2d_ns"`              // copies to the GPU, not hidden
	OtherGPUNS      int64 `json:"other_gpu_ns"`        // other copies and fills, not hidden
	DataLoadingNS   int64 `json:"data_loading_ns"`     // GPU idle, a batch is being fetched
	TransferNS      int64 `json:"transfer_wait_ns"`    // GPU idle, the host waits for a copy
	SyncNS          int64 `json:"sync_ns"`             // GPU idle after the host had waited for it
	HostNS          int64 `json:"host_ns"`             // GPU idle, the host runs other code
	CompilingNS     int64 `json:"compiling_ns"`        // GPU idle, code is compiled or loaded
	CheckpointNS    int64 `json:"checkpoint_ns"`       // GPU idle, a checkpoint is written
	LaunchNS        int64 `json:"launch_ns"`           // GPU idle, the host is launching the next work
	AllocationNS    int64 `json:"allocation_ns"`       // GPU idle, the driver allocates or frees memory
	IdleNS          int64 `json:"idle_ns"`             // GPU idle for a reason that is not on the host, or not known
	LoaderNS        int64 `json:"loader_host_ns"`      // host time in the loader, hidden or not; no part of the sum
	Work            int   `json:"gpu_events"`          // pieces of GPU work that started in the step
	Launches        int   `json:"kernels"`             // kernels among them
	MarkedNS        int64 `json:"marked_ns,omitempty"` // from mark to mark of the host, where the host runs ahead and the step is counted by the GPU's work
}

// NS is how long the step took.
func (s Step) NS() int64 { return s.EndNS - s.StartNS }

// GPUIdleNS is how long the GPU had nothing to do.
func (s Step) GPUIdleNS() int64 {
	return s.NS() - s.ComputeNS - s.CommunicationNS - s.H2DNS - s.OtherGPUNS
}

// part is the field that idle time of a cause belongs to.
func (s *Step) part(c Cause) *int64 {
	switch c {
	case DataLoading:
		return &s.DataLoadingNS
	case TransferCause:
		return &s.TransferNS
	case Synchronization:
		return &s.SyncNS
	case HostPython, Recording:
		return &s.HostNS
	case Compilation:
		return &s.CompilingNS
	case Checkpoint:
		return &s.CheckpointNS
	case LaunchCause:
		return &s.LaunchNS
	case MemoryAllocation:
		return &s.AllocationNS
	}
	return &s.IdleNS
}

// breakdown divides the time of every step.
func (v *view) breakdown(g *gpuWork, idle *idle) []Step {
	if g == nil || len(v.steps) == 0 {
		return nil
	}
	working, talking, feeding, rest := g.busy.shares()
	loader := v.loaderTimes()
	steps := make([]Step, len(v.steps))
	for i, s := range v.steps {
		steps[i] = Step{
			Number: s.number, StartNS: s.window.Start, EndNS: s.window.End,
			ComputeNS: working.within(s.window), CommunicationNS: talking.within(s.window),
			H2DNS: feeding.within(s.window), OtherGPUNS: rest.within(s.window), LoaderNS: loader.within(s.host),
		}
		if v.byGPU {
			steps[i].MarkedNS = s.host.Length()
		}
	}
	for i := range steps {
		for cause, ns := range idle.perStep[i] {
			*steps[i].part(Cause(cause)) += ns
		}
	}
	at := 0
	for _, id := range g.work {
		start := v.t.Start(id)
		for at < len(v.steps) && v.steps[at].window.End <= start {
			at++
		}
		if at < len(v.steps) && v.steps[at].window.Contains(start) {
			steps[at].Work++
			if v.t.Kind(id) == trace.Kernel {
				steps[at].Launches++
			}
		}
	}
	for i := range steps { // what lies before the first work or after the last, outside the explained time
		s := &steps[i]
		left := s.NS()
		for _, f := range s.fields() {
			left -= *f
		}
		s.IdleNS += left
	}
	return steps
}

// loaderTimes is when the main thread was in the loader.
func (v *view) loaderTimes() (s spans) {
	tr := v.t.Track(v.main)
	for id := tr.First; id < tr.Last; id++ {
		if v.means(id, isLoader) && v.t.Kind(id) != trace.Instant {
			s = s.add(v.t.Interval(id))
		}
	}
	return s
}

// Mean is the mean step: its parts add up too. Its StartNS is 0.
func Mean(steps []Step) (m Step) {
	n := int64(len(steps))
	if n == 0 {
		return m
	}
	for _, s := range steps {
		m.EndNS += s.NS()
		for i, part := range s.Parts() {
			*m.fields()[i] += part.NS
		}
		m.LoaderNS += s.LoaderNS
		m.Work += s.Work
		m.Launches += s.Launches
	}
	m.EndNS /= n
	m.LoaderNS /= n
	m.Work /= int(n)
	m.Launches /= int(n)
	left := m.EndNS
	for _, f := range m.fields() {
		*f /= n
		left -= *f
	}
	m.IdleNS += left // what the divisions dropped
	return m
}

// Part is one part of a step.
type Part struct {
	Name string
	NS   int64
}

// Parts lists the parts in reading order.
func (s Step) Parts() []Part {
	fields := s.fields()
	parts := make([]Part, len(fields))
	for i, f := range fields {
		parts[i] = Part{PartNames[i], *f}
	}
	return parts
}

// PartNames are the parts' names, in the order of Parts.
var PartNames = []string{
	"waiting for data", "H2D copy", "copy wait", "host code", "compiling", "checkpoint", "launching", "sync wait",
	"allocation",
	"compute", "communication", "other GPU", "idle",
}

func (s *Step) fields() []*int64 {
	return []*int64{
		&s.DataLoadingNS, &s.H2DNS, &s.TransferNS, &s.HostNS, &s.CompilingNS, &s.CheckpointNS, &s.LaunchNS, &s.SyncNS,
		&s.AllocationNS,
		&s.ComputeNS, &s.CommunicationNS, &s.OtherGPUNS, &s.IdleNS,
	}
}
