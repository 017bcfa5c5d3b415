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
	const queued = "has 2 calls of compiled functions and no computation: recording stopped before the queued work ran. Call block_until_ready on the last result before stop_trace"
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
		{"memory alone", "only has memory events", "no events", newMaker().allocate(1, 1, 10, 10, 10).trace()},
		{"cut off in the GPU's work", "the GPU work of 2 of 3 launching calls is missing", "idle 9", cut(newMaker().kernel("k", 0, 10, 5).call("cudaLaunchKernel", 20, 5).call("cudaLaunchKernel", 30, 5).call("cudaLaunchKernel", 40, 5).workOn(0, 7, trace.Memset, "Memset", 990, 5))},
		{"a browser", "does not contain torch or JAX events", "CPU only", newMaker().host(mainThread, trace.Other, "ThreadProxy::Commit", 0, 10).trace()},
		{"no categories", "ran on the CPU only", "torch or JAX events", newMaker().host(mainThread, trace.Uncategorised, "aten::add", 0, 10).trace()},
		{"Ascend", "from an Ascend NPU", "CPU only", npu.trace()},
		{"CPU", "ran on the CPU only, or the profiler did not record the GPU", "step takes", newMaker().op("aten::add", 0, 10).trace()},
		{"CPU with steps", "a step takes 100 µs on average (1 step); 60% of that is spent in the data loader.", "", newMaker().step("1", 0, 100).mark("enumerate(DataLoader)#_X.__next__", 10, 60).trace()},
		{"CPU with ranks", "collectives with other ranks run for 80% of it.", "", newMaker().step("1", 0, 100).mark("gloo:all_reduce", 10, 80).host(autogradThread, trace.Annotation, "gloo:all_reduce", 10, 80).trace()},
		{"JAX", "JAX did not use the GPU", "ProfilerActivity", jax.trace()},
		{"JAX's JSON", "JAX did not use the GPU", "ProfilerActivity", computes.trace()},
		{"JAX on a TPU", "JAX did not use the GPU", "no computation", tpu.trace()},
		{"JAX, stopped early", queued + ".", "GPU", json().trace()},
		{"JAX, stopped early or not allowed", queued + ". If it already does, the profiler lacked permission", "CPU", json().op("[0] GpuExecutable::ExecuteThunks", 5, 1).trace()},
		{"no JAX", "ProfilerActivity", "JAX", newMaker().op("PjitFunction(step)", 0, 10).trace()},
		{"cut off", "The trace is truncated, and the readable part shows no GPU work", "CPU only", cut(newMaker().op("aten::add", 0, 10))},
		{"cut off behind the launches", "truncated before the GPU's work: it has 1 launching call", "CPU only", cut(newMaker().call("cudaLaunchKernel", 0, 10))},
		{"launches alone", "has 1 launching call, but no GPU work", "CPU only", newMaker().call("cudaLaunchKernel", 0, 10).trace()},
		{"kernels alone", "does not show why: the host's launching calls are missing", "kernels themselves", device.trace()},
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

// A step that was asked for is named, also where nothing ran on a GPU: in that step, or in the whole trace.
func TestSilentStepIsNamed(t *testing.T) {
	host := newMaker().step("6", 0, 100).step("7", 100, 200).mark("enumerate(DataLoader)#_X.__next__", 110, 50)
	busy := newMaker().step("6", 0, 100).step("7", 100, 200).step("8", 300, 100).kernel("k", 10, 20, 5)
	for _, tt := range []struct {
		name, want string
		trace      *trace.Trace
	}{
		{"no GPU", "step 7 takes 200 µs; 25% of that is spent in the data loader.", host.trace()},
		{"idle in that step", "The GPU did nothing in step 7; step 7 takes 200 µs.", busy.trace()},
	} {
		v, err := newView(tt.trace, Options{Step: 7, Rank: -1})
		if err != nil {
			t.Fatal(err)
		}
		if got := v.everything().Verdict.Sentence; !strings.HasSuffix(got, tt.want) {
			t.Errorf("%s: %q; want %q", tt.name, got, tt.want)
		}
		if _, err := newView(tt.trace, Options{Step: 0, Rank: -1}); err == nil || !strings.Contains(err.Error(), "there is no step 0: the trace has steps 6 to ") {
			t.Errorf("%s: %v", tt.name, err)
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
	if got := v.everything().Verdict; !strings.HasPrefix(got.Sentence, "The trace is truncated, so idle time may be missing work.") || got.Confidence > 0.5 {
		t.Errorf("%+v", got)
	}
}
