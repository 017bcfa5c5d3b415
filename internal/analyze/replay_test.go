package analyze

import (
	"testing"

	"saturate/internal/trace"
)

// captureTrace records a graph of a product, a copy and a kernel that Python launches itself. Named calls tell their kernels,
// as ROCm's do.
func captureTrace(name string, rows int64, named bool) *trace.Trace {
	m := newMaker()
	m.meta.Path = name + ".json"
	m.mark(name, 0, 100).frame("nn.Module: Linear_3", 1, 98).call("cudaStreamBeginCapture", 2, 1)
	call := func(text, kernel string, at float64) {
		m.call(text, at, 2)
		if named && kernel != "" {
			m.batch.SetText(trace.KernelName, m.name(kernel))
		}
	}
	m.op("aten::linear", 4, 20).op("aten::mm", 5, 18)
	m.batch.SetInputs(m.lexicon.Inputs(trace.Inputs{Dims: [][]int64{{rows, 64}, {64, 32}}, Types: []string{"c10::BFloat16", "c10::BFloat16"}}))
	call("cudaLaunchKernel", "gemm", 10)
	m.op("aten::copy_", 30, 8)
	call("cudaMemcpyAsync", "", 32)
	call("cudaLaunchKernel", "written_by_hand", 50)
	m.call("cudaStreamEndCapture", 60, 1)
	return m.trace()
}

// replayTrace launches the graph twice.
func replayTrace(numbered bool) *maker {
	m := newMaker()
	for i, at := range []float64{0, 1000} {
		m.call("cudaGraphLaunch", at, 5)
		node := int64(10 * i)
		work := func(kind trace.Kind, name string, start, dur float64) {
			m.work(kind, name, start, dur)
			if node++; numbered {
				m.batch.SetInt(trace.GraphNode, node)
			}
		}
		work(trace.Kernel, "gemm", at+10, 100)
		work(trace.Memcpy, "Memcpy DtoD (Device -> Device)", at+110, 10)
		work(trace.Kernel, "written_by_hand", at+120, 30)
	}
	return m
}

// Kernels of a replayed graph are given to the operators that were captured, in whatever trace that was.
func TestReplays(t *testing.T) {
	for _, named := range []bool{true, false} {
		opt := All
		opt.Captures = []*trace.Trace{captureTrace("decode", 8, named)}
		a := replayTrace(!named).analyse(t, opt)
		if len(a.Replays) != 1 {
			t.Fatalf("named %v: %+v", named, a.Replays)
		}
		r := a.Replays[0]
		if r.Capture != "decode" || r.Launches != 2 || r.Work != 6 || r.TotalNS != 280_000 || r.Unknown+r.Ambiguous != 0 || len(r.Operators) != 3 {
			t.Fatalf("named %v: %+v", named, r)
		}
		mm := r.Operators[0]
		want := 2 * 2 * 8 * 64 * 32 / 200_000.0 / 1000
		if mm.Operator != "aten::mm" || mm.Place != "Linear" || mm.Calls != 2 || mm.TotalNS != 200_000 || mm.TFLOPPerS < want*0.999 || mm.TFLOPPerS > want*1.001 || mm.Shapes[0][0] != 8 {
			t.Errorf("named %v: %+v, want %g TFLOP/s", named, mm, want)
		}
		if own := r.Operators[1]; own.Operator != "written_by_hand" || own.Calls != 2 || own.TotalNS != 60_000 {
			t.Errorf("named %v: %+v", named, own)
		}
	}
}

// Nothing is linked to a capture that is not the graph's, or to one of two whose shapes differ.
func TestReplaysInDoubt(t *testing.T) {
	opt := All
	opt.Captures = []*trace.Trace{captureTrace("small", 8, true), captureTrace("large", 16, true)}
	a := replayTrace(true).analyse(t, opt)
	if len(a.Replays) != 1 || a.Replays[0].Ambiguous != 2 || a.Replays[0].Launches != 0 {
		t.Errorf("two sizes: %+v", a.Replays)
	}
	opt.Captures = []*trace.Trace{captureTrace("one", 8, true), captureTrace("again", 8, true)}
	if a = replayTrace(true).analyse(t, opt); len(a.Replays) != 1 || a.Replays[0].Launches != 2 {
		t.Errorf("two equal layers: %+v", a.Replays)
	}
	opt.Captures = []*trace.Trace{captureTrace("decode", 8, true)}
	m := newMaker().call("cudaGraphLaunch", 0, 5).work(trace.Kernel, "another", 10, 100).work(trace.Kernel, "gemm", 200, 10)
	if a = m.analyse(t, opt); len(a.Replays) != 1 || a.Replays[0].Unknown != 1 {
		t.Errorf("another graph: %+v", a.Replays)
	}
	if a = replayTrace(true).analyse(t, All); a.Replays != nil {
		t.Errorf("without a capture: %+v", a.Replays)
	}
}
