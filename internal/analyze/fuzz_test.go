package analyze

import (
	"context"
	"encoding/json"
	"testing"

	"saturate/internal/trace"
)

// names are what a fuzzed trace's events are called: at least one for each meaning.
var names = []string{
	"ProfilerStep#1", "ProfilerStep#2", "enumerate(DataLoader)#X.__next__", "cudaLaunchKernel", "cudaMemcpyAsync", "cudaStreamSynchronize",
	"cudaDeviceSynchronize", "cudaMalloc", "cudaFree", "aten::item", "aten::nonzero", "aten::copy_", "aten::mm", "Optimizer.step#A", "Optimizer.zero_grad#A",
	"ncclDevKernel", "sgemm", "Memcpy HtoD (Pageable -> Device)", "Memcpy DtoH (Device -> Pinned)", "Memset", "x (dynamo_timed)", "save_checkpoint",
	"## Call CompiledFxGraph a ##", "train.py(1): f", "torch/a.py(1): g", "autograd::engine::evaluate_function: A", "", "np.asarray(jax.Array)",
}

var kinds = []trace.Kind{
	trace.CPUOp, trace.Annotation, trace.Python, trace.Runtime, trace.Kernel, trace.Memcpy, trace.Memset, trace.Overhead, trace.GPUAnnotation, trace.GPUSync,
	trace.Driver, trace.Collective, trace.Instant, trace.Other, trace.Span,
}

// FuzzEverything makes a trace of any bytes, five an event, and requires that every
// question has an answer that adds up.
func FuzzEverything(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\xff\x00\x03\x03\x05\x04\x01\x04\x10\x10\x20\x01"))
	f.Add([]byte("\x00\x0c\x05\x30\x00\x03\x03\x06\x04\x01\x04\x10\x20\x20\x01\x03\x03\x50\x04\x02\x04\x10\x70\x20\x02\x01\x02\x44\x20\x00"))
	f.Add([]byte("\x05\x11\x00\x00\x00\x05\x12\xff\xff\xff\x03\x04\x00\x01\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4000 {
			return
		}
		m := newMaker()
		clock := 0.0
		for ; len(data) >= 5; data = data[5:] {
			kind, name := kinds[int(data[0])%len(kinds)], names[int(data[1])%len(names)]
			clock += float64(data[2]) * float64(data[2]) / 4
			duration := float64(data[3]) * float64(data[3]) / 8
			if kind.OnGPU() {
				m.number = int64(data[4] & 15)
				m.workOn(int64(data[4]>>7), int64(data[4]>>6&1), kind, name, clock, duration)
			} else {
				m.host(int64(data[4]>>6), kind, name, clock, duration)
				m.batch.SetInt(trace.Correlation, int64(data[4]&15))
			}
			if data[4]&32 != 0 {
				m.allocate(clock, uint64(data[1]&7), int64(int8(data[3]))<<20, -1, int64(data[2])<<20)
			}
		}
		tr := m.trace()
		for _, opt := range []Options{All, {HTA: true, Step: -1, Rank: -1}, {Step: 1, Rank: -1}, {Step: -1, Rank: -1, From: 5000, To: 20_000_000, Top: -1}} {
			a, err := Everything(context.Background(), []*trace.Trace{tr}, opt)
			if err != nil {
				continue
			}
			checkSums(t, a)
			Compare(a, a)
		}
	})
}

// checkSums requires of any analysis what must hold whatever was recorded.
func checkSums(t *testing.T, a Analysis) {
	t.Helper()
	if _, err := json.Marshal(a); err != nil {
		t.Fatal(err)
	}
	for _, g := range a.GPUs {
		var idle int64
		for _, c := range g.IdleByCause {
			idle += c.NS
		}
		if idle != g.Span.IdleNS || g.Span.BusyNS+g.Span.IdleNS != g.Span.SpanNS || g.Span.IdleNS < 0 {
			t.Errorf("the causes add up to %d of %+v", idle, g.Span)
		}
	}
	for _, s := range append(a.Steps, Mean(a.Steps)) {
		var sum int64
		for _, p := range s.Parts() {
			sum += p.NS
			if p.NS < 0 {
				t.Errorf("%s of step %d is %d", p.Name, s.Number, p.NS)
			}
		}
		if sum != s.NS() {
			t.Errorf("step %d: the parts add up to %d of %d", s.Number, sum, s.NS())
		}
	}
	if a.Verdict.Sentence == "" || a.Verdict.Confidence < 0 || a.Verdict.Confidence > 1 {
		t.Errorf("%+v", a.Verdict)
	}
}
