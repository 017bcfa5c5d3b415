package analyze

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"saturate/internal/trace"
)

// What the sentence must say about each trace, and must not.
func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name       string
		bottleneck Bottleneck
		says       []string
	}{
		{"starved", ByData, []string{"waited for data", "98% of the idle time (4.44 s of 4.51 s)", "idle 89% of the time: ", "__next__"}},
		{"fixed", ByLaunch, []string{"launch-bound"}},
		{"compiled", ByLaunch, []string{"launch-bound"}},
		{"launchbound", ByLaunch, []string{"launch-bound", "A step launches 1,003 kernels"}},
		{"jax/vm.trace.json.gz", ByData, []string{"waited for data", "jaxtrain.py:23 data"}},
		{"jax/vm.xplane.pb", ByData, []string{"waited for data", "jaxtrain.py:23 data"}},
	} {
		v := analysed(t, tt.name, All).Verdict
		if v.Bottleneck != tt.bottleneck {
			t.Errorf("%s: %s, want %s", tt.name, v.Bottleneck, tt.bottleneck)
		}
		for _, s := range tt.says {
			if !strings.Contains(v.Sentence, s) {
				t.Errorf("%s: %q does not say %q", tt.name, v.Sentence, s)
			}
		}
		if tt.bottleneck != ByData && strings.Contains(v.Sentence, "data") {
			t.Errorf("%s is blamed on data: %q", tt.name, v.Sentence)
		}
		if v.Confidence < 0.8 || v.Confidence > 1 {
			t.Errorf("%s: confidence %f", tt.name, v.Confidence)
		}
	}
}

// Without a recording, 87% of a step of "starved" is waiting for data, and 0.2% of "fixed".
func TestDataShare(t *testing.T) {
	a := analysed(t, "starved", All)
	var data int64
	for _, c := range a.GPUs[0].IdleByCause {
		if c.Cause == DataLoading.String() {
			data += c.NS
		}
	}
	span := a.GPUs[0].Span
	if s := share(data, span.IdleNS); math.Abs(s-0.984) > 0.0005 {
		t.Errorf("%.4f of the idle time is in the loader, want 0.984", s)
	}
	if s := share(data, span.SpanNS); math.Abs(s-0.87) > 0.02 {
		t.Errorf("%.3f of the time is waiting for data, unrecorded it is 0.87", s)
	}
	for _, name := range []string{"fixed", "compiled"} {
		m := Mean(analysed(t, name, All).Steps)
		if s := share(m.DataLoadingNS, m.NS()); s > 0.01 {
			t.Errorf("%s: %.3f of a step is waiting for data, unrecorded it is 0.002", name, s)
		}
	}
}

// Every other bottleneck, on a trace made for it.
func TestOtherVerdicts(t *testing.T) {
	for _, tt := range []struct {
		bottleneck Bottleneck
		says       string
		build      func(m *maker)
	}{
		{ByCompute, "busy 100%", func(m *maker) { m.kernel("k", 30, 200, 5000) }},
		{ByHost, "train.py:9 augment", func(m *maker) {
			m.frame("train.py(9): augment", 210, 4000).op("aten::add", 4300, 50).kernel("k", 4310, 4320, 50)
		}},
		{BySync, "aten::item", func(m *maker) {
			m.op("aten::item", 150, 200).copyOut(4, 160, 10, 195, 2).call("cudaStreamSynchronize", 175, 150)
			m.op("aten::add", 400, 50).kernel("k", 420, 430, 50)
		}},
		{ByTransfer, "Copies between host and GPU", func(m *maker) {
			m.op("aten::copy_", 120, 3000).copyIn("Pinned", 1<<30, 130, 10, 200, 2500).kernel("k", 150, 2700, 50)
		}},
		{ByAllocation, "allocated and freed memory", func(m *maker) {
			m.op("aten::empty", 200, 2000).call("cudaMalloc", 210, 1900).op("aten::add", 2210, 50).kernel("k", 2220, 2230, 50)
		}},
		{ByCheckpoint, "checkpoint", func(m *maker) {
			m.mark("save_checkpoint", 205, 2000).op("aten::add", 2210, 50).kernel("k", 2220, 2230, 50)
		}},
		{ByCommunication, "Communication", func(m *maker) {
			m.kernel("ncclDevKernel_AllReduce_Sum_f32", 30, 200, 2000)
		}},
	} {
		m := newMaker()
		m.op("aten::first", 10, 60).kernel("first", 20, 100, 100)
		tt.build(m)
		v := m.analyse(t, All).Verdict
		if v.Bottleneck != tt.bottleneck || !strings.Contains(v.Sentence, tt.says) {
			t.Errorf("%+v, want %s saying %q", v, tt.bottleneck, tt.says)
		}
	}
}

// The sentence gives what a kernel waits for the next, not what passes from one to the next.
func TestLaunchSentence(t *testing.T) {
	m := newMaker()
	for i := range 10 {
		at := 100 * float64(i)
		m.op(fmt.Sprint("aten::op", i), at, 90).kernel(fmt.Sprint("kernel", i), at+70, at+80, 40)
	}
	const want = "On average a kernel keeps the GPU busy for 40.0 µs, then the GPU waits 54.0 µs for the next."
	if s := m.analyse(t, All).Verdict.Sentence; !strings.Contains(s, want) {
		t.Errorf("%q does not say %q", s, want)
	}
}

// A place that is only known to come before an operator is not said to lie in it.
func TestPlaceBeforeAnOperator(t *testing.T) {
	m := newMaker().op("aten::first", 0, 60).kernel("first", 10, 20, 50).op("aten::matmul", 9000, 90).kernel("k", 9010, 9020, 50)
	if s := m.analyse(t, All).Verdict.Sentence; !strings.Contains(s, "most of it before aten::matmul") {
		t.Error(s)
	}
}

func TestSeveralGPUs(t *testing.T) {
	m := newMaker()
	for i := range 4 {
		at := float64(i) * 100
		m.call("cudaLaunchKernel", at, 5).workOn(0, 7, trace.Kernel, "a", at+10, 20)
		m.call("cudaLaunchKernel", at+6, 5).workOn(1, 7, trace.Kernel, "b", at+20, 60)
	}
	m.call("cudaLaunchKernel", 400, 5).workOn(1, 7, trace.Kernel, "b", 410, 60)
	a := m.analyse(t, All)
	if len(a.GPUs) != 2 || a.GPUs[0].Span.BusyNS != 80_000 || a.GPUs[1].Span.BusyNS != 300_000 {
		t.Errorf("%+v", a.GPUs)
	}
	if !strings.HasPrefix(a.Verdict.Sentence, "GPU 1 ") {
		t.Errorf("%q does not say which GPU it speaks of", a.Verdict.Sentence)
	}
}

// twoWaits makes two steps of 1 ms, each of which loads for 700 µs and computes for 200: with the wait before its
// first work the GPU is idle for 80% of the steps, without it for 67% of the time between its first and last work.
func twoWaits() *maker {
	m := newMaker()
	m.op("aten::import", -5000, 100) // the trace begins long before both
	for i := range 2 {
		at := 1000 * float64(i)
		m.step(fmt.Sprint(i), at, 1000).mark("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at, 700)
		m.op("aten::mm", at+710, 40).call("cudaLaunchKernel", at+720, 5).work(trace.Kernel, "gemm", at+740, 200)
	}
	return m
}

// The idle share of the sentence, of the GPU and of the ranks is one: HTA's, from first to last activity.
func TestOneIdleShare(t *testing.T) {
	traces := []*trace.Trace{twoWaits().trace(), twoWaits().trace()}
	for i, tr := range traces {
		traces[i] = tr.WithOrigin(fmt.Sprint("rank", i), i)
	}
	a, err := Everything(context.Background(), traces, All)
	if err != nil {
		t.Fatal(err)
	}
	if want := "The GPU was idle 67% of the time: it waited for data. 88% of the idle time (700 µs of 800 µs) "; !strings.HasPrefix(a.Verdict.Sentence, want) {
		t.Errorf("%q does not begin with %q", a.Verdict.Sentence, want)
	}
	for name, busy := range map[string]float64{"gpu": a.GPUs[0].BusyRatio, "rank 0": a.Ranks.Rows[0].BusyRatio, "rank 1": a.Ranks.Rows[1].BusyRatio} {
		if math.Abs(1-busy-800./1200) > 1e-9 {
			t.Errorf("%s: idle %f, in the sentence 0.67", name, 1-busy)
		}
	}
	if r := a.Ranks.Rows[0]; r.IdleNS != 800_000 || r.ComputeNS != 200_000 || r.StepNS != 1000_000 {
		t.Errorf("of a step of 1 ms the GPU computes for 200 µs: %+v", r)
	}
	for _, f := range a.Findings {
		if f.Code == "TRC101" && !strings.Contains(f.Message, "700 µs a step (70% of the step)") {
			t.Error(f.Message)
		}
	}
}

// What is counted is said wherever the sentence gives a share of less than the whole trace.
func TestWhatASentenceCounts(t *testing.T) {
	for _, tt := range []struct {
		name string
		opt  Options
		says string
	}{
		{"all", All, ": "},
		{"a step", Options{Step: 1, Rank: -1}, " in step 1"},
		{"HTA", htaOptions, " from its first to last activity: "},
	} {
		if s := twoWaits().analyse(t, tt.opt).Verdict.Sentence; !strings.Contains(s, "of the time"+tt.says) {
			t.Errorf("%s: %q does not say %q", tt.name, s, tt.says)
		}
	}
	one := newMaker().step("3", 0, 2000).op("aten::add", 1600, 300).kernel("k", 1610, 1620, 900) // outlasts the step
	if s := one.analyse(t, All).Verdict.Sentence; !strings.Contains(s, "from the start of the step to the end of its work") {
		t.Error(s)
	}
}

// With several GPUs the sentence, the document and a comparison speak of the same one, which has most work: here
// copies.
func TestTheMainGPU(t *testing.T) {
	build := func() *maker {
		m := newMaker().kernel("k", 0, 10, 50).kernel("k", 60, 70, 50)
		for i := range 9 {
			at := 100 + 300*float64(i)
			m.call("cudaMemcpyAsync", at, 5).workOn(3, 7, trace.Memcpy, "Memcpy HtoD (Pinned -> Device)", at+10, 200)
		}
		return m
	}
	a := build().analyse(t, All)
	if a.Trace.Device != 3 || a.MainGPU().Device != 3 {
		t.Errorf("the document is about GPU %d", a.Trace.Device)
	}
	if s := a.Verdict.Sentence; !strings.Contains(s, "the GPU's first to last activity") || !strings.Contains(s, ". GPU 3 was idle") {
		t.Error(s)
	}
	if c := Compare(a, a); c.Before.BusyNS != 1800_000 {
		t.Errorf("busy for %d ns in the comparison, GPU 3 is for 1,800,000", c.Before.BusyNS)
	}
	if none := newMaker().op("aten::add", 0, 10).analyse(t, All); none.Trace.Device != -1 || none.MainGPU() != nil {
		t.Errorf("%+v", none.Trace)
	}
}
