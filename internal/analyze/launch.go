package analyze

import (
	"cmp"
	"slices"

	"saturate/internal/trace"
)

// Launch tells how the host started GPU work.
type Launch struct {
	Calls          int     `json:"calls"`             // that started work
	Kernels        int     `json:"kernels"`           // kernels that ran
	KernelsPerStep float64 `json:"kernels_per_step"`  // kernels per step
	HostNS         int64   `json:"host_ns"`           // in the calls
	HostNSPerCall  int64   `json:"host_ns_per_call"`  // host time of a call, mean
	GPUNSPerKernel int64   `json:"gpu_ns_per_kernel"` // duration of a kernel, mean
	Short          int     `json:"short"`             // pieces of work shorter than the call that started them
	Slow           int     `json:"slow"`              // calls of more than 50 µs
	Delayed        int     `json:"delayed"`           // pieces of work that started more than 100 µs after their call had returned
	Delay          Spread  `json:"delay_ns"`          // from a call's return to the start of its work
	Queue          Queue   `json:"queue"`
	Graphs         int     `json:"graph_launches"` // calls that started many at once
	Captured       int     `json:"captured"`       // launches that were recorded into a CUDA graph instead of run
	ByCall         []Call  `json:"by_call"`        // launching calls by name
}

// Call sums the calls of one name.
type Call struct {
	Name  string `json:"name"`  // of the call: cudaLaunchKernel
	Count int    `json:"count"` // calls
	NS    int64  `json:"ns"`    // host time in them
}

// Spread describes many values.
type Spread struct {
	Mean   float64 `json:"mean"`   // of all values
	Median int64   `json:"median"` // the middle value
	P95    int64   `json:"p95"`    // 95% of the values are at most this
	Max    int64   `json:"max"`    // the largest value
}

const (
	slowCall  = 50_000
	longDelay = 100_000
)

// HTA leaves out the driver's calls.
var htaCalls = []string{"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaMemcpyAsync", "cudaMemsetAsync"}

// launches looks at every piece of work with its call.
func (v *view) launches() (l Launch) {
	var delays []int64
	calls := map[trace.NameID]*Call{}
	var kernelTime int64
	for i := range v.gpus {
		last, started := trace.None, 0
		for _, id := range v.gpus[i].work {
			kernel := v.t.Kind(id) == trace.Kernel
			if kernel {
				l.Kernels++
				kernelTime += v.t.Duration(id)
			}
			call, ok := v.t.Launch(id)
			if !ok || !v.t.Kind(call).API() || v.opt.HTA && !slices.Contains(htaCalls, v.t.Name(call)) {
				continue
			}
			if call == last {
				if started++; started == 2 {
					l.Graphs++
				}
				continue
			}
			last, started = call, 1
			l.add(v, id, call)
			delays = append(delays, max(0, v.t.Start(id)-v.t.End(call)))
			name := v.t.NameID(call)
			if calls[name] == nil {
				calls[name] = &Call{Name: v.t.String(name)}
			}
			calls[name].Count++
			calls[name].NS += v.t.Duration(call)
		}
	}
	if l.Calls > 0 {
		l.HostNSPerCall = l.HostNS / int64(l.Calls)
	}
	if l.Kernels > 0 {
		l.GPUNSPerKernel = kernelTime / int64(l.Kernels)
	}
	if len(v.steps) > 0 {
		l.KernelsPerStep = float64(l.Kernels) / float64(len(v.steps))
	}
	l.Delay = spread(delays)
	l.Queue = v.queue()
	l.Captured = v.captured()
	for _, c := range calls {
		l.ByCall = append(l.ByCall, *c)
	}
	slices.SortFunc(l.ByCall, func(a, b Call) int { return cmp.Or(cmp.Compare(b.NS, a.NS), cmp.Compare(a.Name, b.Name)) })
	return l
}

func (l *Launch) add(v *view, id, call trace.EventID) {
	host, gpu := v.t.Duration(call), v.t.Duration(id)
	l.Calls++
	l.HostNS += host
	if gpu < host {
		l.Short++
	}
	if host > slowCall {
		l.Slow++
	}
	if v.t.Start(id)-v.t.End(call) > longDelay {
		l.Delayed++
	}
}

func spread(values []int64) (s Spread) {
	if len(values) == 0 {
		return s
	}
	slices.Sort(values)
	var sum float64
	for _, x := range values {
		sum += float64(x)
	}
	n := len(values)
	return Spread{sum / float64(n), values[(n-1)/2], values[(n-1)*95/100], values[n-1]}
}
