package analyze

import (
	"strings"
	"testing"

	"saturate/internal/trace"
)

// What is said where a trace cannot tell why the GPU was idle, or shows no GPU at all.
func TestSilentTraces(t *testing.T) {
	cut := func(m *maker) *trace.Trace {
		b := trace.NewBuilder()
		b.Meta = m.meta
		b.Append(m.batch.Seal())
		b.Truncated("the file breaks off")
		return b.Finish()
	}
	jax := newMaker().op("jit_step", 0, 10)
	jax.meta.Format = "xplane"
	// JAX's other format is known by the names of its processes. A call is marked twice, its work carries XLA's names.
	json := func() *maker {
		m := newMaker().op("PjitFunction(step)", 0, 10).op("PjitFunction(step)", 1, 8).op("PjitFunction(step)", 20, 10)
		m.batch.Label(trace.ProcessName, trace.TrackKey{Domain: trace.HostThread, PID: 100}, m.name("/host:CPU"))
		return m
	}
	computes := json().op("dot", 40, 10)
	computes.batch.SetText(trace.HLOOp, computes.name("dot.3"))
	tpu := json()
	core := trace.TrackKey{Domain: trace.HostThread, PID: 3, TID: 1}
	tpu.batch.Label(trace.ProcessName, core, tpu.name("/device:TPU:0"))
	tpu.batch.Add(40_000, 10_000, tpu.name("fusion.1"), tpu.lexicon.Track(core), trace.CPUOp)
	const queued = "holds 2 calls of compiled functions and no computation: it stopped before the queued work ran; call block_until_ready on the last result before stop_trace"
	npu := newMaker().op("aten::add", 0, 10)
	hardware := trace.TrackKey{Domain: trace.HostThread, PID: 800, TID: 2}
	npu.batch.Label(trace.ProcessName, hardware, npu.name("Ascend Hardware"))
	npu.batch.Add(5_000, 4_000, npu.name("Add"), npu.lexicon.Track(hardware), trace.Uncategorised)
	device := newMaker() // recorded with ProfilerActivity.CUDA alone
	for i := range 20 {
		device.workOn(0, 7, trace.Kernel, "gemm", float64(100*i), 10)
	}
	for _, tt := range []struct {
		name, says, never string
		trace             *trace.Trace
	}{
		{"nothing", "has no events", "", newMaker().trace()},
		{"memory alone", "changes of memory and nothing else", "no events", newMaker().allocate(1, 1, 10, 10, 10).trace()},
		{"cut off in the GPU's work", "the work of 2 of 3 launching calls is missing in it", "idle 9", cut(newMaker().kernel("k", 0, 10, 5).call("cudaLaunchKernel", 20, 5).call("cudaLaunchKernel", 30, 5).call("cudaLaunchKernel", 40, 5).workOn(0, 7, trace.Memset, "Memset", 990, 5))},
		{"a browser", "holds nothing of torch or JAX", "CPU alone", newMaker().host(mainThread, trace.Other, "ThreadProxy::Commit", 0, 10).trace()},
		{"no categories", "ran on the CPU alone", "nothing of torch", newMaker().host(mainThread, trace.Uncategorised, "aten::add", 0, 10).trace()},
		{"Ascend", "of an Ascend NPU", "CPU alone", npu.trace()},
		{"CPU", "ran on the CPU alone, or the profiler was not told", "step takes", newMaker().op("aten::add", 0, 10).trace()},
		{"CPU with steps", "a step takes 100 µs on average (1 step); 60% of the steps' time is spent in the data loader.", "", newMaker().step("1", 0, 100).mark("enumerate(DataLoader)#_X.__next__", 10, 60).trace()},
		{"CPU with ranks", "a collective with other ranks runs for 80% of it.", "", newMaker().step("1", 0, 100).mark("gloo:all_reduce", 10, 80).host(autogradThread, trace.Annotation, "gloo:all_reduce", 10, 80).trace()},
		{"JAX", "JAX did not use the GPU", "ProfilerActivity", jax.trace()},
		{"JAX's JSON", "JAX did not use the GPU", "ProfilerActivity", computes.trace()},
		{"JAX on a TPU", "JAX did not use the GPU", "no computation", tpu.trace()},
		{"JAX, stopped early", queued + ".", "GPU", json().trace()},
		{"JAX, stopped early or not allowed", queued + ". If it waits already, the profiler was not allowed", "CPU", json().op("[0] GpuExecutable::ExecuteThunks", 5, 1).trace()},
		{"no JAX", "ProfilerActivity", "JAX", newMaker().op("PjitFunction(step)", 0, 10).trace()},
		{"cut off", "the rest of it is missing", "CPU alone", cut(newMaker().op("aten::add", 0, 10))},
		{"cut off behind the launches", "breaks off before the work of the GPU: it holds 1 launching call for it", "CPU alone", cut(newMaker().call("cudaLaunchKernel", 0, 10))},
		{"launches alone", "holds 1 launching call for work on a GPU, but not the work", "CPU alone", newMaker().call("cudaLaunchKernel", 0, 10).trace()},
		{"kernels alone", "does not tell why: it holds no calls of the host", "kernels themselves", device.trace()},
	} {
		v, err := newView(tt.trace, All)
		if err != nil {
			t.Fatal(err)
		}
		got := v.everything().Verdict
		if got.Bottleneck != ByNothing || !strings.Contains(got.Sentence, tt.says) || tt.never != "" && strings.Contains(got.Sentence, tt.never) {
			t.Errorf("%s: %s, %q; want %q and not %q", tt.name, got.Bottleneck, got.Sentence, tt.says, tt.never)
		}
	}
}

// A saving is per step only where there are steps.
func TestNoStepNoPerStep(t *testing.T) {
	m := newMaker()
	for i := range 30 { // of different lengths, so that nothing repeats
		at := float64(i*i*20 + 100*i)
		m.op("aten::op", at, 30).kernel("k"+strings.Repeat("x", i), at+10, at+20, 5)
	}
	a := m.analyse(t, All)
	if a.Window.Steps != 0 || len(a.Findings) == 0 {
		t.Fatalf("%d steps, %d findings", a.Window.Steps, len(a.Findings))
	}
	for _, f := range a.Findings {
		if strings.Contains(f.Message, "a step") {
			t.Errorf("%s: %s", f.Code, f.Message)
		}
	}
}

// What is missing in a trace that breaks off looks like idle time.
func TestIdleTimeOfACutTrace(t *testing.T) {
	b := trace.NewBuilder()
	b.Append(newMaker().op("aten::a", 0, 30).kernel("k", 10, 20, 5).op("aten::b", 900, 60).kernel("k", 930, 940, 5).batch.Seal())
	b.Truncated("the file breaks off")
	v, err := newView(b.Finish(), All)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.everything().Verdict; !strings.HasPrefix(got.Sentence, "The trace breaks off, so idle time in it can be work that is missing.") || got.Confidence > 0.5 {
		t.Errorf("%+v", got)
	}
}
