package analyze

import (
	"strings"

	"saturate/internal/trace"
)

// Compiled tells what code made by a compiler hides: operators fused into one kernel no
// longer show by name, and a graph of kernels shows as one launch.
type Compiled struct {
	Regions        int     `json:"regions"`         // calls of compiled regions
	Graphs         int     `json:"graphs"`          // different compiled graphs
	HostNS         int64   `json:"host_ns"`         // in compiled regions, outermost counted
	Kernels        int     `json:"kernels"`         // launched from compiled code
	KernelNS       int64   `json:"kernel_ns"`       // time of these kernels
	KernelShare    float64 `json:"kernel_share"`    // of all kernels' time
	GeneratedNS    int64   `json:"generated_ns"`    // of these, in kernels that the compiler made; the others are of libraries
	GeneratedShare float64 `json:"generated_share"` // of all kernels' time
	CompileNS      int64   `json:"compile_ns"`      // spent compiling in the window
	Compilations   int     `json:"compilations"`    // how often code was compiled in the window
	GraphLaunched  int     `json:"graph_launched"`  // kernels that ran as part of a CUDA graph
	Backend        string  `json:"backend"`         // torch.compile, XLA
}

// compiled is nil when nothing was compiled.
func (v *view) compiled() *Compiled {
	c := &Compiled{}
	graphs := map[trace.NameID]bool{}
	for id := range v.t.OfKind(trace.CPUOp, trace.Annotation, trace.Python, trace.Runtime, trace.Driver) {
		m := v.meanings[v.t.NameID(id)]
		if m&(isRegion|isCompile) == 0 || !v.window.Contains(v.t.Start(id)) {
			continue
		}
		outer := true
		for p := range v.t.Ancestors(id) {
			if v.meanings[v.t.NameID(p)]&m&(isRegion|isCompile) != 0 {
				outer = false
				break
			}
		}
		switch {
		case m&isCompile != 0 && outer:
			c.Compilations++
			c.CompileNS += v.t.Duration(id)
		case m&isRegion != 0:
			if strings.HasPrefix(v.t.Name(id), "## Call CompiledFxGraph") {
				c.Regions++
				graphs[v.t.NameID(id)] = true
			}
			if outer {
				c.HostNS += v.t.Duration(id)
			}
		}
	}
	c.Graphs = len(graphs)
	xla := v.compiledWork(c)
	switch {
	case c.Regions > 0:
		c.Backend = "torch.compile"
	case xla:
		c.Backend = "XLA"
	case c.Compilations > 0 || c.GraphLaunched > 0:
	default:
		return nil
	}
	return c
}

// compiledWork sums the kernels of compiled code, and reports whether XLA made it.
func (v *view) compiledWork(c *Compiled) (xla bool) {
	var all int64
	for i := range v.gpus {
		for _, id := range v.gpus[i].work {
			if v.t.Kind(id) != trace.Kernel {
				continue
			}
			ns := v.t.Duration(id)
			all += ns
			if _, ok := v.t.Int(id, trace.GraphID); ok {
				c.GraphLaunched++
			}
			made := v.t.Text(id, trace.HLOModule) != ""
			xla = xla || made
			if made || v.inRegion(id) {
				c.Kernels++
				c.KernelNS += ns
			}
			if v.generated(id) {
				c.GeneratedNS += ns
			}
		}
	}
	c.KernelShare, c.GeneratedShare = share(c.KernelNS, all), share(c.GeneratedNS, all)
	return xla
}

// inRegion reports whether a kernel was launched in a region that torch.compile made.
func (v *view) inRegion(id trace.EventID) bool {
	call, ok := v.t.Launch(id)
	if !ok {
		return false
	}
	for p := range v.t.Ancestors(call) {
		if v.means(p, isRegion) {
			return true
		}
	}
	return false
}

// isCompiled reports whether compiled code, or a CUDA graph, launched a kernel.
func (v *view) isCompiled(id trace.EventID) bool {
	if _, graphed := v.t.Int(id, trace.GraphID); graphed {
		return true
	}
	return v.t.Text(id, trace.HLOModule) != "" || v.inRegion(id)
}

// generated reports whether a compiler wrote the kernel, by its name or by what its operator says.
func (v *view) generated(id trace.EventID) bool {
	if name := v.t.Name(id); strings.HasPrefix(name, "triton_") || strings.HasPrefix(name, "fusion") || strings.HasPrefix(name, "gemm_fusion") ||
		strings.HasPrefix(name, "loop_") || strings.HasPrefix(name, "input_") {
		return true
	}
	op, ok := v.t.Operator(id)
	return ok && v.t.Text(op, trace.KernelBackend) != ""
}
